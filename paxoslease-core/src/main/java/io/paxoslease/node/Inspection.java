package io.paxoslease.node;

import io.paxoslease.LeaseLoss;
import io.paxoslease.LeaseStatus;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.PeerStatus;
import io.paxoslease.StoreStatus;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.transport.netty.PeerState;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one running node, for people. What takes the node's thread is asked for in small steps.
 */
final class Inspection {

    /** Some microseconds of the node's thread. */
    private static final int STEP = 256;

    private final RunningNode node;
    private final PaxosLeaseOptions options;
    private final Losses losses;

    Inspection(RunningNode node, PaxosLeaseOptions options, Losses losses) {
        this.node = node;
        this.options = options;
        this.losses = losses;
    }

    NodeStatus status(NodeStatus.Clocks clocks) {
        NodeView view = node.view(0);
        NodeStatus.Quarantine quarantine = quarantine(view, node.mayBeSnapshot());
        StoreStatus store = node.store();
        NodeView.OtherConfiguration other = view.otherConfiguration();
        boolean refuses = store != null && store.problem() != null;
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
                store);
    }

    /** Null when it is not silent. */
    private static NodeStatus.@Nullable Quarantine quarantine(NodeView view, boolean mayBeSnapshot) {
        long silent = view.quarantineRemainingNanos();
        if (silent == 0 && view.clockInBounds()) {
            return null;
        }
        return new NodeStatus.Quarantine(reason(view, mayBeSnapshot), Duration.ofNanos(silent));
    }

    private static NodeStatus.Quarantine.Reason reason(NodeView view, boolean mayBeSnapshot) {
        NodeView.OtherConfiguration other = view.otherConfiguration();
        if (other != null && other.silences()) {
            return NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION;
        }
        if (!view.clockInBounds()) {
            return NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS;
        }
        return mayBeSnapshot ? NodeStatus.Quarantine.Reason.CLOCKS_DISAGREED : NodeStatus.Quarantine.Reason.STARTED;
    }

    List<PeerStatus> peers() {
        List<NodeView.PeerClock> clocks = node.peerClocks();
        return node.peers().stream()
                .map(peer -> toStatus(peer, clockOf(peer.node(), clocks)))
                .toList();
    }

    /** Every resource that there is something to say about, in order, once. */
    List<String> resources() {
        List<String> found = new ArrayList<>(losses.resources());
        node.addOwnResources(found);
        for (int place = 0; place >= 0; ) {
            place = node.addRecords(place, STEP, found);
        }
        Collections.sort(found);
        List<String> resources = new ArrayList<>(found.size());
        String last = null;
        for (String resource : found) {
            if (!resource.equals(last)) {
                resources.add(resource);
            }
            last = resource;
        }
        return resources;
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
        if (NodeAlgorithm.of(options).asksForHolders()) {
            node.look(resources);
        }
        List<@Nullable LeaseView> views = node.views(resources);
        for (int i = 0; i < resources.size(); i++) {
            LeaseStatus status = toStatus(resources.get(i), views.get(i));
            if (status != null) {
                found.add(status);
            }
        }
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
        InetSocketAddress address = options.peers().get(peer.node().name());
        String text = address == null ? "" : address.getHostString() + ":" + address.getPort();
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
        Reading now = node.clock().read();
        LeaseLoss lastLoss = losses.last(resource, now.moment());
        if (view == null) {
            return lastLoss == null
                    ? null
                    : new LeaseStatus(
                            resource, LeaseStatus.State.LOST, null, false, null, null, null, null, null, 0, lastLoss);
        }
        boolean held = view.state() == LeaseView.State.HELD || view.state() == LeaseView.State.SUSPECT;
        Moment grantedAt = held ? node.grantedAt(resource, view.token()) : null;
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
                lastLoss);
    }
}
