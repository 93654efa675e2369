package io.paxoslease.spring.autoconfigure;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.NodeStartException;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PeerStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks at the start whether the other members accept this node. If a member that serves refuses this node's
 * configuration, or so many members refuse it that no majority is left, the configuration is wrong or a change of it
 * has only begun: the start fails, which is clearer than a line in the log. A minority that does not serve may be wrong
 * itself and does not stop this node; unreachable peers do not count.
 */
final class Admission {

    /** How long peers may keep a connection of an earlier process of this node that crashed. */
    private static final Duration STALE = Duration.ofSeconds(5);

    private static final Duration FIRST_WORD = Duration.ofSeconds(1);
    private static final long STEP_MILLIS = 10;
    /**
     * Refusals that do not concern the configuration: a slow peer, another node at its address since instances moved, a
     * member that has as many clients as it admits, a fault.
     */
    private static final Set<ConnectionRefusal> PASSING = EnumSet.of(
            ConnectionRefusal.BUSY,
            ConnectionRefusal.HANDSHAKE_TIMEOUT,
            ConnectionRefusal.TOO_MANY_CONNECTIONS,
            ConnectionRefusal.MALFORMED,
            ConnectionRefusal.WRONG_NODE,
            ConnectionRefusal.FAULT);

    private final PaxosLease node;
    private final Duration firstWord;
    private final Duration stale;

    Admission(PaxosLease node) {
        this(node, FIRST_WORD, STALE);
    }

    /**
     * @param firstWord how long to wait at most until the state of every peer is known
     * @param stale how long a refusal must last
     */
    Admission(PaxosLease node, Duration firstWord, Duration stale) {
        this.node = node;
        this.firstWord = firstWord;
        this.stale = stale;
    }

    /**
     * Returns as soon as no problem is known; at once without peers.
     *
     * @throws NodeStartException if too many peers, or one that serves, go on refusing this node
     */
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
    }

    private boolean isKnown() {
        List<PeerStatus> peers = node.peers();
        long connected = peers.stream().filter(PeerStatus::connected).count();
        return connected + ownVote() >= majority(peers)
                || peers.stream().allMatch(peer -> peer.connected() || peer.problem() != null);
    }

    /** A client is no member: it needs a majority of the others. */
    private int ownVote() {
        return node.options().isClient() ? 0 : 1;
    }

    private int majority(List<PeerStatus> peers) {
        return (peers.size() + ownVote()) / 2 + 1;
    }

    private boolean isHopeless(List<PeerStatus> peers) {
        long refusing = peers.stream().filter(Admission::isRefusing).count();
        return peers.stream().anyMatch(Admission::servesOtherwise)
                || peers.size() + ownVote() - refusing < majority(peers);
    }

    private static boolean isRefusing(PeerStatus peer) {
        ConnectionRefusal refusal = peer.refusal();
        return refusal != null && !PASSING.contains(refusal);
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
        return Duration.ofMillis(Math.round(node.options().maxLeaseTime().toMillis()
                * (1 + node.options().clockDrift())
                / (1 - node.options().clockDrift())));
    }

    private NodeStartException explain(List<PeerStatus> peers) {
        String problems = peers.stream()
                .filter(Admission::isRefusing)
                .map(peer -> "  - " + peer.problem())
                .collect(Collectors.joining("\n"));
        if (node.status().state() == NodeStatus.State.JOINING) {
            return new NodeStartException(
                    "Client '%s' does not start: its contact points (paxoslease.contact-points) do not say who the members of its cell are:%n%s%n"
                            .formatted(node.options().nodeId(), problems),
                    "Name members of one cell as contact points, and set the same paxoslease.cell as there.",
                    null);
        }
        if (peers.stream().anyMatch(Admission::servesOtherwise)) {
            return new NodeStartException(
                    "Node '%s' does not start: its cell serves with another configuration:%n%s%n"
                            .formatted(node.options().nodeId(), problems),
                    "Make the settings that they name the same on every node. To change them for the whole cell, stop every node, wait %s, and start them all with the new configuration."
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
