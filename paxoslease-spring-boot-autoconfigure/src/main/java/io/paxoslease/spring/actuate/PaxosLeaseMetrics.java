package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.leader.GuardedCallCounts;
import io.paxoslease.spring.leader.LeaderElections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one node, all below {@code paxoslease.}, with the tags {@code cell} and {@code node}. Every other tag
 * has few values: roles, peers, kinds of leases, types of messages, reasons. Reading them is local, except
 * {@code paxoslease.reachable.members}, {@code paxoslease.majority.members}, {@code paxoslease.quarantine.remaining},
 * {@code paxoslease.generation.sealed}, {@code paxoslease.clock.within.bound} and {@code paxoslease.store.*}, and
 * {@code paxoslease.peer.connected} of a peer that is not, which wait for the node's thread.
 */
final class PaxosLeaseMetrics implements MeterBinder, AutoCloseable {

    private static final List<String> REJECTIONS = List.of("held", "stale", "refused");

    private final NodeMonitor node;
    private final Supplier<@Nullable LeaderElections> elections;
    private final Supplier<List<LeaderElection>> started;
    private final List<NodeObserver> observers = new CopyOnWriteArrayList<>();

    /**
     * @param node the node to measure
     * @param elections supplies the counts of guarded calls; may return null
     */
    PaxosLeaseMetrics(PaxosLease node, Supplier<@Nullable LeaderElections> elections) {
        this(node.monitor(), elections, () -> LeaderElection.on(node));
    }

    PaxosLeaseMetrics(
            NodeMonitor node, Supplier<@Nullable LeaderElections> elections, Supplier<List<LeaderElection>> started) {
        this.node = node;
        this.elections = elections;
        this.started = started;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags tags = Tags.of("cell", node.options().cell(), "node", nodeTag(node.options()));
        StatusFigures figures = new StatusFigures(registry.config().clock()::monotonicTime);
        bindAny(registry, tags);
        String algorithm = node.options().algorithm().algorithm();
        if (algorithm.equals("storage")) {
            StoreMeters.bind(node, figures, registry, tags);
        } else {
            bindCell(figures, registry, tags);
        }
        if (algorithm.equals("flease")) {
            ClockMeters.bind(node, figures, registry, tags);
        }
        observe(new MetricsObserver(registry, tags, started, this::callCounts));
    }

    private void observe(NodeObserver observer) {
        observers.add(observer);
        node.addObserver(observer);
    }

    /** Of clients, which come and go under names that are made up, the application: each name would leave series behind. */
    private static String nodeTag(PaxosLeaseOptions options) {
        if (options.mode() == NodeMode.MEMBER) {
            return options.nodeId();
        }
        return options.application().isEmpty() ? "client" : options.application();
    }

    /** Stops observing the node. Registered meters stay in their registries. */
    @Override
    public void close() {
        observers.forEach(node::removeObserver);
        observers.clear();
    }

    private GuardedCallCounts callCounts(String role) {
        LeaderElections known = elections.get();
        return known == null ? new GuardedCallCounts(0, 0, 0) : known.callCounts(role);
    }

    private void bindAny(MeterRegistry registry, Tags tags) {
        Gauge.builder("paxoslease.held.leases", node, NodeMonitor::heldLeases)
                .description("Leases that this node holds: roles, locks and others")
                .baseUnit("leases")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("paxoslease.clock.disagreements", node, each -> each.clockDisagreements())
                .description("How often the clocks of this process disagreed: it was suspended, or a clock was set")
                .tags(tags)
                .register(registry);
        bindTraffic(registry, tags);
    }

    /** Not for clients of a store, which have no other members. */
    private void bindCell(StatusFigures figures, MeterRegistry registry, Tags tags) {
        Gauge.builder("paxoslease.reachable.members", node, each -> figures.get(each, NodeStatus::reachable))
                .description("Members of the cell that answer, this node included if it is one")
                .baseUnit("members")
                .tags(tags)
                .register(registry);
        Gauge.builder("paxoslease.majority.members", node, each -> figures.get(each, NodeStatus::majority))
                .description("Members of the cell that must answer, for a lease to be granted or renewed")
                .baseUnit("members")
                .tags(tags)
                .register(registry);
        TimeGauge.builder(
                        "paxoslease.quarantine.remaining",
                        node,
                        TimeUnit.NANOSECONDS,
                        each -> figures.get(
                                each, status -> status.quarantineRemaining().toNanos()))
                .description("How much longer this node's acceptor does not vote; 0 if it serves")
                .tags(tags)
                .register(registry);
        observe(new PeerMeters(node, figures, registry, tags));
        if (node.options().algorithm() == AlgorithmOptions.PAXOSLEASE) {
            GenerationMeters.bind(node, figures, registry, tags);
            FunctionCounter.builder("paxoslease.clocks.apart", node, each -> each.clocksApart())
                    .description("Requests that backed off because the wall clocks of no majority are near each other")
                    .tags(tags)
                    .register(registry);
        }
        if (node.options().maxClients() > 0) {
            Gauge.builder("paxoslease.clients.connected", node, PaxosLeaseMetrics::clients)
                    .description("Clients that are connected to this member")
                    .tags(tags)
                    .register(registry);
        }
        bindRejections(registry, tags);
        bindRefusals(registry, tags);
    }

    private static double clients(NodeMonitor node) {
        return node.clients().map(ClientCounts::connected).orElse(0);
    }

    private void bindTraffic(MeterRegistry registry, Tags tags) {
        for (String type : node.messagesSent().keySet()) {
            Tags typed = tags.and("type", type);
            counter(
                    registry,
                    "paxoslease.sent.messages",
                    "Messages to other nodes, including lost ones; with leases in a store, requests to the store",
                    typed,
                    each -> count(each.messagesSent(), type));
            counter(
                    registry,
                    "paxoslease.received.messages",
                    "Messages from other nodes; with leases in a store, answers of the store",
                    typed,
                    each -> count(each.messagesReceived(), type));
        }
    }

    private void bindRejections(MeterRegistry registry, Tags tags) {
        for (String reason : REJECTIONS) {
            counter(
                    registry,
                    "paxoslease.rejected.ballots",
                    "Ballots of this node that another node's acceptor rejected: another holds the lease, a higher ballot was"
                            + " promised, or the request was out of bounds",
                    tags.and("reason", reason),
                    each -> rejected(each.messagesReceived(), reason));
        }
    }

    /** Flease's acceptors have one reason: a higher round. */
    private static double rejected(Map<String, Long> received, String reason) {
        return count(received, reason) + (reason.equals("stale") ? count(received, "nack") : 0);
    }

    private void bindRefusals(MeterRegistry registry, Tags tags) {
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            FunctionCounter.builder(
                            "paxoslease.refused.connections", node, each -> count(each.refusedConnections(), reason))
                    .description("Connections between nodes, or with strangers, that were refused or failed")
                    .baseUnit("connections")
                    .tags(tags.and("reason", reason.name().toLowerCase(Locale.ROOT)))
                    .register(registry);
        }
    }

    private void counter(
            MeterRegistry registry, String name, String description, Tags tags, Function<NodeMonitor, Double> value) {
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
