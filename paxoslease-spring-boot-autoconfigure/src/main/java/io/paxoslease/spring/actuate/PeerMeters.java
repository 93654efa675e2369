package io.paxoslease.spring.actuate;

import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of each peer, in one registry: of those that a change of the members brings, too. They stay when a peer leaves. */
final class PeerMeters implements NodeObserver {

    private final NodeMeters meters;
    private final FewNames names = new FewNames("peer", "meters");
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    PeerMeters(NodeMeters meters) {
        this.meters = meters;
    }

    @Override
    public void peerAdded(String peer) {
        if (names.admits(peer) && known.add(peer)) {
            bind(peer, meters.with("peer", peer));
        }
    }

    private static void bind(String id, NodeMeters meters) {
        meters.gauge(
                "paxoslease.peer.connected",
                null,
                "Whether messages can be sent to the peer: 1 or 0; NaN if it has left",
                connected(meters.figures(), id));
        meters.time(
                "paxoslease.peer.round.trip",
                "Round trip of a message to the peer; NaN if unknown",
                nanos(id, PeerStatus::roundTrip));
        if (meters.node().options().algorithm().algorithm().equals("flease")) {
            meters.time(
                    "paxoslease.peer.clock.offset",
                    "By how much the peer's wall clock is ahead of this node's; NaN if unknown",
                    nanos(id, PeerStatus::clockOffset));
            meters.time(
                    "paxoslease.peer.clock.uncertainty",
                    "Error bound of the offset of the peer's clock; NaN if unknown",
                    nanos(id, PeerStatus::clockUncertainty));
        }
    }

    private static ToDoubleFunction<NodeMonitor> connected(StatusFigures figures, String id) {
        return node -> {
            if (peer(node, id).filter(PeerStatus::connected).isPresent()) {
                return 1;
            }
            double left = figures.get(node, status -> hasLeft(status, id) ? 1 : 0);
            return left > 0 ? Double.NaN : 0;
        };
    }

    /** Whether a member before a change is expected to be away, because the change is sealed. */
    private static boolean hasLeft(NodeStatus status, String id) {
        MembershipStatus membership = status.membership();
        return membership != null
                && membership.mode() == MembershipStatus.Mode.SEALED
                && !membership.members().contains(id);
    }

    private static ToDoubleFunction<NodeMonitor> nanos(String id, Function<PeerStatus, @Nullable Duration> time) {
        return node -> peer(node, id)
                .map(time)
                .map(Duration::toNanos)
                .map(Long::doubleValue)
                .orElse(Double.NaN);
    }

    private static Optional<PeerStatus> peer(NodeMonitor node, String id) {
        return node.peers().stream().filter(peer -> peer.nodeId().equals(id)).findFirst();
    }
}
