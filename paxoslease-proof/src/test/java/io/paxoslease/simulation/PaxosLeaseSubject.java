package io.paxoslease.simulation;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;

/** PaxosLease. */
final class PaxosLeaseSubject implements Subject {

    private final World world;
    private final RecordsChecker checker;

    PaxosLeaseSubject(World world) {
        Scenario scenario = world.scenario();
        this.world = world;
        this.checker =
                new RecordsChecker(scenario.acceptors(), scenario.nodes(), scenario.resources(), scenario.tokensGrow());
        Changes changes = scenario.changes();
        if (changes != null) {
            checker.decides(
                    0,
                    changes.kind().isByGenerations()
                            ? SealWatch.indexes(changes.files().get(0).current())
                            : null);
        }
    }

    @Override
    public HistoryChecker checker() {
        return checker;
    }

    /** A0: only a node that serves nobody else has no quarantine; any other counts from the loss of its memory. */
    @Override
    public LeaseAlgorithm newNode(SimulatedNode node, Timing timing, Moment memoryLostAt, Reading now) {
        boolean isAlone = world.scenario().nodes() == 1;
        long silenceNanos = node.file().timing(false).quarantineNanos();
        boolean isGuarded = world.scenario().changes() != null && !node.isClient();
        return new Node(
                node.id(),
                node.file(),
                isAlone ? null : memoryLostAt.plusNanos(silenceNanos),
                isGuarded
                        ? Meetings.guard(world, node, silenceNanos, now.moment())
                        : ConfigurationGuard.none(node.id()),
                isAlone,
                () -> new Incarnation(world.random().nextLong(), node.nextIncarnation()),
                world.random().split(),
                now);
    }

    @Override
    public MemoryWatch watch(SimulatedNode node, boolean watches) {
        return new AcceptorWatch(world, checker, node, watches);
    }
}
