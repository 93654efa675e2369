package io.paxoslease.simulation;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Quorum;
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
    }

    @Override
    public HistoryChecker checker() {
        return checker;
    }

    /** A0: only a node that serves nobody else has no quarantine; any other counts from the loss of its memory. */
    @Override
    public LeaseAlgorithm newNode(SimulatedNode node, Quorum quorum, Timing timing, Moment memoryLostAt, Reading now) {
        Moment quarantineEnd = world.scenario().nodes() == 1 ? null : memoryLostAt.plusNanos(timing.quarantineNanos());
        return new Node(
                node.id(),
                quorum,
                timing,
                quarantineEnd,
                () -> new Incarnation(world.random().nextLong(), node.nextIncarnation()),
                world.random().split(),
                now);
    }

    @Override
    public MemoryWatch watch(SimulatedNode node, boolean watches) {
        return new AcceptorWatch(world, checker, node, watches);
    }
}
