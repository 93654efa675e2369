package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.AlgorithmStatus;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.monitor.LeaseLoss;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.netty.PeerState;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at one running node, for people. What takes the node's thread is asked for in small steps.
 */
final class Inspection {

    private static final Logger log = LoggerFactory.getLogger(Inspection.class);

    /** Some microseconds of the node's thread. */
    private static final int STEP = 256;

    private static final long LOOK_SECONDS = 1;

    private final NodeRuntime node;
    private final PaxosLeaseOptions options;
    private final NodeAlgorithm algorithm;
    private final LeaseTable table;
    private final Losses losses;

    Inspection(NodeRuntime node, PaxosLeaseOptions options, Losses losses) {
        this.node = node;
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.table = node.table();
        this.losses = losses;
    }

    /** Of a node that has no machine to ask: it is not running, or has failed. */
    static NodeStatus statusOf(
            PaxosLeaseOptions options, NodeStatus.State state, long clockDisagreements, List<PeerStatus> peers) {
        return new NodeStatus(
                options.nodeId(),
                options.cell(),
                "",
                state,
                null,
                new NodeStatus.Clocks(false, clockDisagreements),
                options.leaseTime(),
                options.maxLeaseTime(),
                peers,
                null,
                null,
                options.mode(),
                null,
                null);
    }

    NodeStatus status(long clockDisagreements) {
        NodeStatus.Clocks clocks = new NodeStatus.Clocks(node.guard().trusts(now()), clockDisagreements);
        NodeView view = node.ask(machine -> machine.view(now()));
        NodeStatus.Quarantine quarantine = quarantine(view, node.guard().mayBeSnapshot());
        AlgorithmStatus own = node.ask(machine -> algorithm.status(machine, now()))
                .map(Supplier::get)
                .orElse(null);
        NodeView.OtherConfiguration other = view.otherConfiguration();
        boolean refuses = own != null && own.problem() != null;
        return new NodeStatus(
                options.nodeId(),
                options.cell(),
                view.incarnation().toString(),
                refuses
                        ? NodeStatus.State.FAILED
                        : quarantine == null ? NodeStatus.State.SERVING : NodeStatus.State.QUARANTINED,
                quarantine,
                clocks,
                options.leaseTime(),
                options.maxLeaseTime(),
                peers(),
                other == null ? null : other.problem(),
                own,
                options.mode(),
                node.environment().clients(),
                membership(view.membership()));
    }

    /** Null of an algorithm whose members do not change. */
    private static @Nullable MembershipStatus membership(NodeView.@Nullable Membership view) {
        if (view == null) {
            return null;
        }
        MemberList previous = view.generation().previous();
        return new MembershipStatus(
                view.configured(),
                view.generation().number(),
                view.isJoint() ? MembershipStatus.Mode.JOINT : MembershipStatus.Mode.SEALED,
                view.sealed(),
                names(view.generation().current().members()),
                previous == null ? List.of() : names(previous.members()),
                names(view.missing()),
                view.sealedInNanos() < 0 ? null : Duration.ofNanos(view.sealedInNanos()),
                Duration.ofNanos(view.sinceNanos()));
    }

    private static List<String> names(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::name).toList();
    }

    private static boolean isGenerationOver(NodeView view) {
        NodeView.Membership membership = view.membership();
        return membership != null && membership.silences();
    }

    /** Null when it is not silent. */
    private static NodeStatus.@Nullable Quarantine quarantine(NodeView view, boolean mayBeSnapshot) {
        long silent = view.quarantineRemainingNanos();
        if (silent == 0 && view.clockInBounds() && !isGenerationOver(view)) {
            return null;
        }
        return new NodeStatus.Quarantine(reason(view, mayBeSnapshot), Duration.ofNanos(silent));
    }

    private static NodeStatus.Quarantine.Reason reason(NodeView view, boolean mayBeSnapshot) {
        NodeView.OtherConfiguration other = view.otherConfiguration();
        if (other != null && other.silences()) {
            return NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION;
        }
        if (isGenerationOver(view)) {
            return NodeStatus.Quarantine.Reason.GENERATION_OVER;
        }
        if (!view.clockInBounds()) {
            return NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS;
        }
        return mayBeSnapshot ? NodeStatus.Quarantine.Reason.CLOCKS_DISAGREED : NodeStatus.Quarantine.Reason.STARTED;
    }

    /** See {@link AwaitedVotes#of}. */
    Optional<AwaitedVote> awaitedVote(NodeStatus status) {
        Timing timing = node.ask(machine -> {
            NodeView.Membership membership = machine.view(now()).membership();
            return membership == null
                    ? node.times().timing
                    : membership.generation().timing(!membership.isJoint());
        });
        long quarantine = Math.max(ConfigurationGuard.LOOK_AROUND_NANOS, algorithm.silenceNanos(timing));
        return AwaitedVotes.of(status, node.environment().peers(), quarantine);
    }

    List<PeerStatus> peers() {
        List<NodeView.PeerClock> clocks = table.peerClocks();
        return node.environment().peers().stream()
                .map(peer -> toStatus(peer, clockOf(peer.node(), clocks)))
                .toList();
    }

    /** Every resource that there is something to say about, in order, once. */
    List<String> resources() {
        List<String> found = new ArrayList<>(losses.resources());
        table.addResources(found);
        for (int place = 0; place >= 0; ) {
            int from = place;
            place = node.ask(machine -> machine.addRecords(from, STEP, now(), found));
        }
        return List.copyOf(new TreeSet<>(found));
    }

    /** In the order of the names. */
    List<LeaseStatus> leases(List<String> resources) {
        List<LeaseStatus> found = new ArrayList<>();
        for (int from = 0; from < resources.size(); from += STEP) {
            look(resources.subList(from, Math.min(from + STEP, resources.size())), found);
        }
        return found;
    }

    private void look(List<String> resources, List<LeaseStatus> found) {
        if (algorithm.asksForHolders()) {
            askForHolders(resources);
        }
        List<@Nullable LeaseView> views = node.ask(machine -> {
            Reading now = now();
            List<@Nullable LeaseView> known = new ArrayList<>(resources.size());
            resources.forEach(resource -> known.add(machine.view(resource, now)));
            return known;
        });
        for (int i = 0; i < resources.size(); i++) {
            LeaseStatus status = toStatus(resources.get(i), views.get(i));
            if (status != null) {
                found.add(status);
            }
        }
    }

    /** So that what this node knows is certain as far as the others can tell. Waits a second at most. */
    private void askForHolders(List<String> resources) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        long number = node.question(id -> new Event.QueryHolder(resources, id), answer);
        try {
            answer.get(LOOK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("What this node knows must do", e);
        } finally {
            table.forgetAnswer(number);
        }
    }

    private Reading now() {
        return node.clock().read();
    }

    private static NodeView.@Nullable PeerClock clockOf(NodeId peer, List<NodeView.PeerClock> clocks) {
        return clocks.stream()
                .filter(clock -> clock.node().equals(peer))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Duration ofMicros(
            NodeView.@Nullable PeerClock clock, ToLongFunction<NodeView.PeerClock> part) {
        return clock == null ? null : Duration.ofNanos(part.applyAsLong(clock) * 1_000);
    }

    private PeerStatus toStatus(PeerState peer, NodeView.@Nullable PeerClock clock) {
        InetSocketAddress configured = options.allPeers().get(peer.node().name());
        InetSocketAddress address = configured == null ? peer.address() : configured;
        String text = address == null ? "" : Printable.address(address.getHostString(), address.getPort());
        Duration roundTrip = peer.roundTripNanos() < 0 ? null : Duration.ofNanos(peer.roundTripNanos());
        return new PeerStatus(
                peer.node().name(),
                text,
                peer.connected(),
                peer.problem(),
                peer.refusal(),
                roundTrip,
                ofMicros(clock, NodeView.PeerClock::offsetMicros),
                ofMicros(clock, NodeView.PeerClock::uncertaintyMicros));
    }

    private @Nullable LeaseStatus toStatus(String resource, @Nullable LeaseView view) {
        Reading now = now();
        LeaseLoss lastLoss = losses.last(resource, now.moment());
        if (view == null) {
            return lastLoss == null
                    ? null
                    : new LeaseStatus(
                            resource,
                            LeaseStatus.State.LOST,
                            null,
                            false,
                            null,
                            null,
                            null,
                            null,
                            null,
                            0,
                            lastLoss,
                            null);
        }
        boolean held = view.state() == LeaseView.State.HELD || view.state() == LeaseView.State.SUSPECT;
        Moment grantedAt = held ? table.grantedAt(resource, view.token()) : null;
        return new LeaseStatus(
                resource,
                LeaseStatus.State.valueOf(view.state().name()),
                view.owner() == null ? null : view.owner().name(),
                view.certain(),
                view.owner() == null || held || view.certain() ? null : Duration.ofNanos(view.ageNanos()),
                held ? view.token() : null,
                view.counter() > 0 ? view.counter() : null,
                grantedAt == null ? null : Duration.ofNanos(Math.max(0, grantedAt.nanosUntil(now.moment()))),
                view.remainingNanos() < 0 ? null : Duration.ofNanos(view.remainingNanos()),
                view.renewals(),
                lastLoss,
                view.note().isEmpty() ? null : view.note());
    }
}
