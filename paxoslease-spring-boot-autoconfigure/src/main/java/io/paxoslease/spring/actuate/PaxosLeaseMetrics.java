package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.paxoslease.Algorithm;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PeerStatus;
import io.paxoslease.StoreStatus;
import io.paxoslease.spring.leader.GuardedCallCounts;
import io.paxoslease.spring.leader.LeaderElections;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one node, all below {@code paxoslease.}, with the tags {@code cell} and {@code node}. Every other tag has few
 * values: roles, peers, kinds of leases, types of messages, reasons. Reading them asks nobody, save
 * {@code paxoslease.quarantine.remaining} and {@code paxoslease.store.*}, which ask the node's thread.
 */
public final class PaxosLeaseMetrics implements MeterBinder, AutoCloseable {

    private static final List<String> REJECTIONS = List.of("held", "stale", "refused");

    private final PaxosLease node;
    private final Supplier<@Nullable LeaderElections> elections;
    private final List<MetricsObserver> observers = new CopyOnWriteArrayList<>();

    /**
     * @param node is measured
     * @param elections know what became of guarded calls; may answer null
     */
    public PaxosLeaseMetrics(PaxosLease node, Supplier<@Nullable LeaderElections> elections) {
        this.node = node;
        this.elections = elections;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags tags =
                Tags.of("cell", node.options().cell(), "node", node.options().nodeId());
        bindCell(registry, tags);
        if (node.options().algorithm() == Algorithm.STORAGE) {
            bindStore(registry, tags);
        }
        bindTraffic(registry, tags);
        MetricsObserver observer = new MetricsObserver(registry, tags, node::elections, this::callCounts);
        observers.add(observer);
        node.addObserver(observer);
    }

    /** Ends the observation of the node. What is in a registry stays there. */
    @Override
    public void close() {
        observers.forEach(node::removeObserver);
        observers.clear();
    }

    private GuardedCallCounts callCounts(String role) {
        LeaderElections known = elections.get();
        return known == null ? new GuardedCallCounts(0, 0, 0) : known.callCounts(role);
    }

    private void bindCell(MeterRegistry registry, Tags tags) {
        Gauge.builder("paxoslease.held.leases", node, PaxosLease::heldLeases)
                .description("Leases that this node holds: roles, locks and others")
                .baseUnit("leases")
                .tags(tags)
                .register(registry);
        Gauge.builder("paxoslease.reachable.members", node, PaxosLeaseMetrics::reachable)
                .description("Members of the cell that answer, this node included")
                .baseUnit("members")
                .tags(tags)
                .register(registry);
        Gauge.builder("paxoslease.majority.members", node, PaxosLeaseMetrics::majority)
                .description("Members of the cell that must answer, for a lease to be granted or renewed")
                .baseUnit("members")
                .tags(tags)
                .register(registry);
        TimeGauge.builder("paxoslease.quarantine.remaining", node, TimeUnit.NANOSECONDS, PaxosLeaseMetrics::quarantine)
                .description("How long this node's acceptor stays silent yet; 0 when it serves")
                .tags(tags)
                .register(registry);
        for (String peer : node.options().peers().keySet()) {
            if (!peer.equals(node.options().nodeId())) {
                bindPeer(registry, tags.and("peer", peer), peer);
            }
        }
    }

    private void bindPeer(MeterRegistry registry, Tags tags, String id) {
        Gauge.builder(
                        "paxoslease.peer.connected",
                        node,
                        each -> value(each, id, peer -> peer.connected() ? 1.0 : 0.0, 0))
                .description("Whether messages can be sent to the peer: 1 or 0")
                .tags(tags)
                .register(registry);
        if (node.options().algorithm() == Algorithm.FLEASE) {
            TimeGauge.builder(
                            "paxoslease.peer.clock.offset",
                            node,
                            TimeUnit.NANOSECONDS,
                            each -> value(each, id, PaxosLeaseMetrics::clockOffset, Double.NaN))
                    .description("By how much the peer's wall clock is ahead of this node's; not a number when unknown")
                    .tags(tags)
                    .register(registry);
        }
        TimeGauge.builder(
                        "paxoslease.peer.round.trip",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> value(each, id, PaxosLeaseMetrics::roundTrip, Double.NaN))
                .description("How long a message to the peer and back takes; not a number when unknown")
                .tags(tags)
                .register(registry);
    }

    private void bindStore(MeterRegistry registry, Tags tags) {
        TimeGauge.builder(
                        "paxoslease.store.access.max",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> store(each, store -> store.max().toNanos()))
                .description("The longest of the latest few hundred accesses to the store")
                .tags(tags)
                .register(registry);
        TimeGauge.builder(
                        "paxoslease.store.access.bound",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> store(each, store -> store.accessBound().toNanos()))
                .description("What every access to the store is to take less than")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("paxoslease.store.slow.accesses", node, each -> store(each, StoreStatus::slow))
                .description("Accesses to the store that took as long as the access bound, or longer")
                .baseUnit("accesses")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("paxoslease.store.failed.accesses", node, each -> store(each, StoreStatus::failed))
                .description("Accesses to the store that failed")
                .baseUnit("accesses")
                .tags(tags)
                .register(registry);
    }

    private static double store(PaxosLease node, ToLongFunction<StoreStatus> value) {
        try {
            StoreStatus store = node.status().store();
            return store == null ? Double.NaN : value.applyAsLong(store);
        } catch (PaxosLeaseException nodeDoesNotAnswer) {
            return Double.NaN;
        }
    }

    private static double roundTrip(PeerStatus peer) {
        return nanos(peer.roundTrip());
    }

    private static double clockOffset(PeerStatus peer) {
        return nanos(peer.clockOffset());
    }

    private static double nanos(@Nullable Duration time) {
        return time == null ? Double.NaN : time.toNanos();
    }

    private static double value(PaxosLease node, String id, Function<PeerStatus, Double> value, double otherwise) {
        return node.peers().stream()
                .filter(peer -> peer.nodeId().equals(id))
                .findFirst()
                .map(value)
                .orElse(otherwise);
    }

    private static double majority(PaxosLease node) {
        return Math.max(1, node.options().peers().size()) / 2 + 1;
    }

    private static double reachable(PaxosLease node) {
        return node.isRunning()
                ? 1 + node.peers().stream().filter(PeerStatus::connected).count()
                : 0;
    }

    private static double quarantine(PaxosLease node) {
        try {
            return node.status().quarantineRemaining().toNanos();
        } catch (PaxosLeaseException nodeDoesNotAnswer) {
            return Double.NaN;
        }
    }

    private void bindTraffic(MeterRegistry registry, Tags tags) {
        for (String type : node.messagesSent().keySet()) {
            Tags typed = tags.and("type", type);
            counter(
                    registry,
                    "paxoslease.sent.messages",
                    "Messages to other nodes, lost ones included",
                    typed,
                    each -> count(each.messagesSent(), type));
            counter(
                    registry,
                    "paxoslease.received.messages",
                    "Messages from other nodes",
                    typed,
                    each -> count(each.messagesReceived(), type));
        }
        for (String reason : REJECTIONS) {
            counter(
                    registry,
                    "paxoslease.rejected.ballots",
                    "Ballots of this node that another node's acceptor rejected: another holds the lease, a higher ballot was"
                            + " promised, or the request was out of bounds",
                    tags.and("reason", reason),
                    each -> count(each.messagesReceived(), reason));
        }
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            FunctionCounter.builder(
                            "paxoslease.refused.connections", node, each -> count(each.refusedConnections(), reason))
                    .description("Connections between nodes, or with strangers, that came to nothing")
                    .baseUnit("connections")
                    .tags(tags.and("reason", reason.name().toLowerCase(Locale.ROOT)))
                    .register(registry);
        }
        FunctionCounter.builder("paxoslease.clock.disagreements", node, each -> each.clockDisagreements())
                .description("How often the clocks of this process disagreed: it was suspended, or a clock was set")
                .tags(tags)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String description, Tags tags, Function<PaxosLease, Double> value) {
        FunctionCounter.builder(name, node, value::apply)
                .description(description)
                .baseUnit(name.contains("messages") ? BaseUnits.MESSAGES : "ballots")
                .tags(tags)
                .register(registry);
    }

    private static <K> double count(Map<K, Long> counts, K key) {
        return counts.getOrDefault(key, 0L);
    }
}
