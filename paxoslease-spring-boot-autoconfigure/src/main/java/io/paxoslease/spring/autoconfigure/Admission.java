package io.paxoslease.spring.autoconfigure;

import io.paxoslease.GenerationOptions;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks at the start whether the other members accept this node. If a member that serves refuses this node's
 * configuration, or so many members refuse it that no majority is left, the configuration is wrong or a change of it
 * has only begun: the start fails, which is clearer than a line in the log. A minority that does not serve may be wrong
 * itself and does not stop this node; unreachable peers do not count. A member whose configuration is that before a
 * change which is sealed does not start either.
 *
 * <p>Only what answers at the configured addresses of the peers is asked, never who calls this node. Some refusals come before the peer has shown
 * who it is: that TLS is set up on one side only, or that its certificate is not trusted. A process that takes the addresses of so many peers could
 * keep this node from a majority in any case; here it can do so only while this node starts.
 */
final class Admission {

    /** How long peers may keep a connection of an earlier process of this node that crashed. */
    private static final Duration STALE = Duration.ofSeconds(5);

    private static final Duration FIRST_WORD = Duration.ofSeconds(1);
    private static final long STEP_MILLIS = 10;
    /**
     * Refusals that do not concern the configuration: a slow peer, a member that has as many clients as it admits, a fault.
     */
    private static final Set<ConnectionRefusal> PASSING = EnumSet.of(
            ConnectionRefusal.BUSY,
            ConnectionRefusal.HANDSHAKE_TIMEOUT,
            ConnectionRefusal.TOO_MANY_CONNECTIONS,
            ConnectionRefusal.MALFORMED,
            ConnectionRefusal.FAULT);

    /** Leads to one machine for ever: digits with dots, an IPv6 address in brackets, or the loopback interface by name. */
    private static final Pattern LITERAL = Pattern.compile("(?:[0-9.]+|\\[.*]|localhost):[0-9]+");

    private final NodeMonitor node;
    private final Duration firstWord;
    private final Duration stale;

    Admission(NodeMonitor node) {
        this(node, FIRST_WORD, STALE);
    }

    /**
     * @param firstWord how long to wait at most until the state of every peer is known
     * @param stale how long a refusal must last
     */
    Admission(NodeMonitor node, Duration firstWord, Duration stale) {
        this.node = node;
        this.firstWord = firstWord;
        this.stale = stale;
    }

    /** Returns as soon as no problem is known; at once without peers. */
    void await() {
        long begin = System.nanoTime();
        while (!isKnown() && System.nanoTime() - begin < firstWord.toNanos()) {
            if (!pause()) {
                return;
            }
        }
        long end = System.nanoTime() + stale.toNanos();
        while (isHopeless(node.peers())) {
            if (System.nanoTime() - end >= 0) {
                throw explain(node.peers());
            }
            if (!pause()) {
                return;
            }
        }
        MembershipStatus membership = membership();
        if (membership != null && membership.isOver() && !node.options().isClient()) {
            throw explain(membership);
        }
    }

    private boolean isKnown() {
        List<PeerStatus> peers = node.peers();
        Set<String> connected = peers.stream()
                .filter(PeerStatus::connected)
                .map(PeerStatus::nodeId)
                .collect(Collectors.toSet());
        connected.addAll(own());
        return lists(peers).stream().allMatch(members -> majority(members) <= count(members, connected))
                || peers.stream().allMatch(peer -> peer.connected() || peer.problem() != null);
    }

    /** A client is no member: it needs a majority of the others. */
    private List<String> own() {
        return node.options().isClient() ? List.of() : List.of(node.options().nodeId());
    }

    /** This node needs a majority of each of them: until a change of the members is sealed there are two. */
    private List<List<String>> lists(List<PeerStatus> peers) {
        MembershipStatus membership = membership();
        if (membership == null) {
            Stream<String> others = peers.stream().map(PeerStatus::nodeId);
            return List.of(Stream.concat(others, own().stream()).toList());
        }
        return membership.mode() == MembershipStatus.Mode.SEALED
                ? List.of(membership.members())
                : List.of(membership.members(), membership.previousMembers());
    }

    private @Nullable MembershipStatus membership() {
        try {
            return node.status().membership();
        } catch (PaxosLeaseException nodeDoesNotAnswer) {
            return null;
        }
    }

    private static int majority(List<String> members) {
        return members.size() / 2 + 1;
    }

    private static long count(List<String> members, Set<String> some) {
        return members.stream().filter(some::contains).count();
    }

    private boolean isHopeless(List<PeerStatus> peers) {
        Set<String> refusing = peers.stream()
                .filter(Admission::isRefusing)
                .map(PeerStatus::nodeId)
                .collect(Collectors.toSet());
        return peers.stream().anyMatch(Admission::servesOtherwise)
                || lists(peers).stream()
                        .anyMatch(members -> members.size() - count(members, refusing) < majority(members));
    }

    private static boolean isRefusing(PeerStatus peer) {
        ConnectionRefusal refusal = peer.refusal();
        return refusal == ConnectionRefusal.WRONG_NODE
                ? isLiteral(peer.address())
                : refusal != null && !PASSING.contains(refusal);
    }

    /** If not, instances may have moved, and a name service will know it soon. */
    private static boolean isLiteral(String address) {
        return LITERAL.matcher(address).matches();
    }

    /** Section 9, G4 of the protocol: beside such a peer a node with this configuration would not vote. */
    private static boolean servesOtherwise(PeerStatus peer) {
        return peer.refusal() == ConnectionRefusal.BY_SERVING_PEER;
    }

    /** Returns false if the start is interrupted, which ends it. */
    private static boolean pause() {
        try {
            Thread.sleep(STEP_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * The quarantine by this node's configuration. If the other configuration has a longer one, its nodes are
     * quarantined for longer.
     */
    private Duration quarantine() {
        PaxosLeaseOptions options = node.options();
        GenerationOptions.Previous previous = options.generation().previous();
        long longest = options.maxLeaseTime().toMillis();
        double drift = options.clockDrift();
        if (previous != null) {
            longest = Math.max(longest, previous.maxLeaseTime().toMillis());
            drift = Math.max(drift, previous.clockDrift());
        }
        return Duration.ofMillis(Math.round(longest * (1 + drift) / (1 - drift)));
    }

    /** Section 9, R7 of the protocol. */
    private NodeStartException explain(MembershipStatus membership) {
        return new NodeStartException(
                "Node '%s' does not start: its cell has changed to generation %d, which is sealed, and this node is configured with generation %d.%n"
                        .formatted(node.options().nodeId(), membership.sealed(), membership.configured()),
                "Set paxoslease.generation to %d, paxoslease.peers to %s and paxoslease.previous-peers to %s, with the addresses, the max-lease-time and the clock-drift that the other nodes have. If this node is none of them, it is not needed any more."
                        .formatted(membership.generation(), membership.members(), membership.previousMembers()),
                null);
    }

    private NodeStartException explain(List<PeerStatus> peers) {
        String problems = peers.stream()
                .filter(Admission::isRefusing)
                .map(peer -> "  - " + PropertyNames.inText(String.valueOf(peer.problem())))
                .collect(Collectors.joining("\n"));
        if (node.status().state() == NodeStatus.State.JOINING) {
            return new NodeStartException(
                    "Client '%s' does not start: its contact points (paxoslease.contact-points) do not say who the members of its cell are:%n%s%n"
                            .formatted(node.options().nodeId(), problems),
                    "Name members of one cell as contact points, and set the same paxoslease.cell as there; with connection details, let these return both.",
                    null);
        }
        if (peers.stream().anyMatch(Admission::servesOtherwise)) {
            return new NodeStartException(
                    "Node '%s' does not start: its cell serves with another configuration:%n%s%n"
                            .formatted(node.options().nodeId(), problems),
                    "Do what these lines say. A setting for which they give no generation, such as the algorithm, cannot change while the cell serves: to change it, stop every node, wait %s, and start them all with the new configuration."
                            .formatted(quarantine()),
                    null);
        }
        return new NodeStartException(
                "Node '%s' does not start: so many members refuse it that it could not reach a majority:%n%s%n"
                        .formatted(node.options().nodeId(), problems),
                "Make the settings that they name the same on every node. If it is the node id, give every process its own"
                        + " paxoslease.node-id, or stop the process that has this one.",
                null);
    }
}
