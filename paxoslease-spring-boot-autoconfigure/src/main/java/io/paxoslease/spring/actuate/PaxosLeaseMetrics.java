package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.leader.GuardedCallCounts;
import io.paxoslease.spring.leader.LeaderElections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
        Tags tags = tags(node.options());
        StatusFigures figures = new StatusFigures(registry.config().clock()::monotonicTime);
        NodeMeters meters = new NodeMeters(node, figures, registry, tags);
        bindAny(meters);
        String algorithm = node.options().algorithm().algorithm();
        if (algorithm.equals("storage")) {
            StoreMeters.bind(meters);
        } else {
            bindCell(meters);
        }
        if (algorithm.equals("flease")) {
            ClockMeters.bind(meters);
        }
        observe(new MetricsObserver(registry, tags, started, this::callCounts));
    }

    private void observe(NodeObserver observer) {
        observers.add(observer);
        node.addObserver(observer);
    }

    static Tags tags(PaxosLeaseOptions options) {
        return Tags.of("cell", options.cell(), "node", nodeTag(options));
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

    private void bindAny(NodeMeters meters) {
        meters.gauge(
                "paxoslease.held.leases",
                "leases",
                "Leases that this node holds: roles, locks and others",
                NodeMonitor::heldLeases);
        meters.count(
                "paxoslease.clock.disagreements",
                null,
                "How often the clocks of this process disagreed: it was suspended, or a clock was set",
                NodeMonitor::clockDisagreements);
        for (String type : node.messagesSent().keySet()) {
            NodeMeters typed = meters.with("type", type);
            typed.count(
                    "paxoslease.sent.messages",
                    BaseUnits.MESSAGES,
                    "Messages to other nodes, including lost ones; with leases in a store, requests to the store",
                    each -> count(each.messagesSent(), type));
            typed.count(
                    "paxoslease.received.messages",
                    BaseUnits.MESSAGES,
                    "Messages from other nodes; with leases in a store, answers of the store",
                    each -> count(each.messagesReceived(), type));
        }
    }

    /** Not for clients of a store, which have no other members. */
    private void bindCell(NodeMeters meters) {
        StatusFigures figures = meters.figures();
        meters.gauge(
                "paxoslease.reachable.members",
                "members",
                "Members of the cell that answer, this node included if it is one",
                figures.of(NodeStatus::reachable));
        meters.gauge(
                "paxoslease.majority.members",
                "members",
                "Members of the cell that must answer, for a lease to be granted or renewed",
                figures.of(NodeStatus::majority));
        meters.time(
                "paxoslease.quarantine.remaining",
                "How much longer this node's acceptor does not vote; 0 if it serves",
                figures.of(status -> status.quarantineRemaining().toNanos()));
        observe(new PeerMeters(meters));
        if (node.options().algorithm() == AlgorithmOptions.PAXOSLEASE) {
            bindGenerations(meters);
        }
        if (node.options().maxClients() > 0) {
            meters.gauge(
                    "paxoslease.clients.connected",
                    null,
                    "Clients that are connected to this member",
                    each -> each.clients().map(ClientCounts::connected).orElse(0));
        }
        for (String reason : REJECTIONS) {
            meters.with("reason", reason)
                    .count(
                            "paxoslease.rejected.ballots",
                            "ballots",
                            "Ballots of this node that another node's acceptor rejected: another holds the lease, a higher ballot was"
                                    + " promised, or the request was out of bounds",
                            each -> rejected(each.messagesReceived(), reason));
        }
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            meters.with("reason", reason.name().toLowerCase(Locale.ROOT))
                    .count(
                            "paxoslease.refused.connections",
                            "connections",
                            "Connections between nodes, or with strangers, that were refused or failed",
                            each -> count(each.refusedConnections(), reason));
        }
    }

    /** A change of the members is over when every node shows one number as both generations. */
    private static void bindGenerations(NodeMeters meters) {
        meters.gauge(
                "paxoslease.generation",
                null,
                "Generation of the cell that this node is configured with",
                each -> each.options().generation().number());
        meters.gauge(
                "paxoslease.generation.sealed",
                null,
                "Highest generation of the cell that this node knows to be sealed; NaN if unknown",
                meters.figures().of(PaxosLeaseMetrics::sealed));
        meters.count(
                "paxoslease.clocks.apart",
                null,
                "Requests that backed off because the wall clocks of no majority are near each other",
                NodeMonitor::clocksApart);
    }

    private static double sealed(NodeStatus status) {
        MembershipStatus membership = status.membership();
        return membership == null ? Double.NaN : membership.sealed();
    }

    /** Flease's acceptors have one reason: a higher round. */
    private static double rejected(Map<String, Long> received, String reason) {
        return count(received, reason) + (reason.equals("stale") ? count(received, "nack") : 0);
    }

    private static <K> double count(Map<K, Long> counts, K key) {
        return counts.getOrDefault(key, 0L);
    }
}
