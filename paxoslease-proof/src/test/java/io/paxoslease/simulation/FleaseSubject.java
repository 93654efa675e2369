package io.paxoslease.simulation;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseNode;
import java.util.ArrayList;
import java.util.List;

/** Flease. */
final class FleaseSubject implements Subject, RegistersChecker.Registers {

    private final World world;
    private final RegistersChecker checker;
    private final List<RegisterWatch> watches = new ArrayList<>();
    private boolean clocksAreRight = true;

    FleaseSubject(World world) {
        Scenario scenario = world.scenario();
        this.world = world;
        this.checker = new RegistersChecker(
                scenario.acceptors(), scenario.nodes(), scenario.resources(), scenario.tokensGrow(), this);
    }

    @Override
    public HistoryChecker checker() {
        return checker;
    }

    @Override
    public LeaseAlgorithm newNode(SimulatedNode node, Timing timing, Moment memoryLostAt, Reading now) {
        return new FleaseNode(
                node.id(),
                new Quorum(node.file().current().members()),
                timing,
                world.scenario().clockBoundNanos(),
                world.scenario().nodes() == 1
                        ? null
                        : memoryLostAt.plusNanos(
                                FleaseNode.silenceNanos(timing, world.scenario().clockBoundNanos())),
                ConfigurationGuard.none(node.id()),
                () -> new Incarnation(world.random().nextLong(), node.nextIncarnation()),
                world.random().split(),
                Long.MAX_VALUE,
                now);
    }

    @Override
    public MemoryWatch watch(SimulatedNode node, boolean isAcceptorOfSeveral) {
        RegisterWatch watch = new RegisterWatch(world, this, checker, node, isAcceptorOfSeveral);
        watches.add(watch);
        lookAtClocks();
        return watch;
    }

    @Override
    public long wallMicros(int node, long real) {
        return watches.get(node).node().clock().wallMicros(real);
    }

    @Override
    public boolean clocksAreRight() {
        lookAtClocks();
        return clocksAreRight;
    }

    @Override
    public long maxLeaseNanos() {
        return world.scenario().maxLeaseNanos();
    }

    /** Once they were wrong, what was written then may be wrong for long. */
    void lookAtClocks() {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (RegisterWatch watch : watches) {
            long offset = watch.node().clock().wallOffsetMicros();
            long sway =
                    world.scenario().machines().get(watch.node().index()).sway().mostMicros();
            lowest = Math.min(lowest, offset - sway);
            highest = Math.max(highest, offset + sway);
        }
        clocksAreRight &= (highest - lowest) * 1_000 <= world.scenario().clockBoundNanos();
    }

    /** Any two nodes that take part are within the bound of each other. */
    void takesPart(SimulatedNode node) {
        long mine = node.clock().wallMicros(world.now());
        for (RegisterWatch other : watches) {
            long apart = Math.abs(other.node().clock().wallMicros(world.now()) - mine) * 1_000;
            if (apart > world.scenario().clockBoundNanos() && other.node() != node && other.takesPart()) {
                throw new HistoryChecker.Violation("nodes %d and %d take part, and their clocks are %d ns apart"
                        .formatted(node.index(), other.node().index(), apart));
            }
        }
    }
}
