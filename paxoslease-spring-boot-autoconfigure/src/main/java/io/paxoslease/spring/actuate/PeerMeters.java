package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of each peer, in one registry: of those that a change of the members brings, too. They stay when a peer leaves. */
final class PeerMeters implements NodeObserver {

    private final NodeMonitor node;
    private final StatusFigures figures;
    private final MeterRegistry registry;
    private final Tags tags;
    private final FewNames names = new FewNames("peer", "meters");
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    PeerMeters(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        this.node = node;
        this.figures = figures;
        this.registry = registry;
        this.tags = tags;
    }

    @Override
    public void peerAdded(String peer) {
        if (names.admits(peer) && known.add(peer)) {
            bind(peer);
        }
    }

    private void bind(String id) {
        Tags mine = tags.and("peer", id);
        Gauge.builder("paxoslease.peer.connected", node, connected(figures, id))
                .description("Whether messages can be sent to the peer: 1 or 0; NaN if it has left")
                .tags(mine)
                .register(registry);
        time(
                "paxoslease.peer.round.trip",
                "Round trip of a message to the peer; NaN if unknown",
                mine,
                id,
                PeerStatus::roundTrip);
        if (node.options().algorithm().algorithm().equals("flease")) {
            time(
                    "paxoslease.peer.clock.offset",
                    "By how much the peer's wall clock is ahead of this node's; NaN if unknown",
                    mine,
                    id,
                    PeerStatus::clockOffset);
            time(
                    "paxoslease.peer.clock.uncertainty",
                    "Error bound of the offset of the peer's clock; NaN if unknown",
                    mine,
                    id,
                    PeerStatus::clockUncertainty);
        }
    }

    private void time(
            String name, String description, Tags mine, String id, Function<PeerStatus, @Nullable Duration> time) {
        TimeGauge.builder(name, node, TimeUnit.NANOSECONDS, each -> nanos(each, id, time))
                .description(description)
                .tags(mine)
                .register(registry);
    }

    /** Refers to no node: a registry may outlive it. */
    private static ToDoubleFunction<NodeMonitor> connected(StatusFigures figures, String id) {
        return node -> {
            if (peer(node, id).filter(PeerStatus::connected).isPresent()) {
                return 1;
            }
            double left = figures.get(node, status -> GenerationMeters.hasLeft(status, id) ? 1 : 0);
            return left > 0 ? Double.NaN : 0;
        };
    }

    /** NaN if unknown. */
    private static double nanos(NodeMonitor node, String id, Function<PeerStatus, @Nullable Duration> time) {
        return peer(node, id)
                .map(time)
                .map(Duration::toNanos)
                .map(Long::doubleValue)
                .orElse(Double.NaN);
    }

    private static Optional<PeerStatus> peer(NodeMonitor node, String id) {
        return node.peers().stream().filter(peer -> peer.nodeId().equals(id)).findFirst();
    }
}
