package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.paxoslease.exploration.Depth;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random runs of whole cells: five times as many in the deep build. {@code -Dsimulation.seeds=N} runs another number, {@code -Dsimulation.seed=S} one,
 * with its trace.
 */
abstract class SimulatedCells {

    private static final @Nullable Long ONE = Long.getLong("simulation.seed");
    private static final int LINES = 4_000;
    private static final long FEW = 1_000;
    private static final long DEEPER = 5;

    private static final String REPEAT =
            "mvn -pl paxoslease-proof -am test -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seed=%d%n%s";

    private final LongFunction<Scenario> draw;
    private final Set<Situation> situations;
    private final long seeds;
    /** Of the bound until everybody is served: without hints of releases most cells need more. */
    private final double slowShare;

    private final LongAdder handOvers = new LongAdder();
    private final LongAdder restarts = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder slow = new LongAdder();
    /** Runs that got beyond what the protocol protects from, and were not judged from then on. */
    private final LongAdder beyondTheLimit = new LongAdder();

    /**
     * @param draw from a seed
     * @param situations what has to happen in few cells
     * @param seeds how many in every build
     * @param slowShare see the field
     */
    SimulatedCells(LongFunction<Scenario> draw, Set<Situation> situations, long seeds, double slowShare) {
        this.draw = draw;
        this.situations = situations;
        this.slowShare = slowShare;
        this.seeds = Depth.of("simulation.seeds", seeds, DEEPER * seeds);
    }

    @Test
    void noTwoNodesEverHoldOneLeaseAndEverybodyIsServedInTheEnd() {
        if (ONE != null) {
            System.out.println(Simulation.trace(draw, ONE, LINES));
            assertThat(Simulation.violation(draw, ONE)).isNull();
            return;
        }
        long began = System.nanoTime();
        LongStream.range(0, seeds).parallel().forEach(this::run);
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                "%d simulated cells in %.0f s: %d hand-overs between nodes, %d restarts, %.0f s of cluster time,"
                        + " %.0f cluster-seconds per second; %d cells beyond the limit%n",
                seeds,
                seconds,
                handOvers.sum(),
                restarts.sum(),
                nanos.sum() / 1e9,
                nanos.sum() / 1e9 / seconds,
                beyondTheLimit.sum());
        assertThat(handOvers.sum()).isPositive();
        assertThat(beyondTheLimit.sum())
                .as("cells that are not judged to their end")
                .isLessThan(Math.max(2, seeds / 100));
        assertThat(slow.sum()).as("cells in which turns took long").isLessThan(Math.max(2, seeds / 50));
    }

    private void run(long seed) {
        Statistics statistics = Simulation.outcome(draw, seed);
        if (statistics == null) {
            fail("Repeat with: "
                    + REPEAT.formatted(getClass().getSimpleName(), seed, Simulation.violation(draw, seed)));
        }
        handOvers.add(statistics.handOvers());
        restarts.add(statistics.restarts());
        nanos.add(statistics.simulatedNanos());
        if (statistics.count(Situation.BEYOND_THE_LIMIT) > 0) {
            beyondTheLimit.increment();
        }
        if (statistics.shareOfBound() > slowShare) {
            slow.increment();
        }
    }

    @Test
    void oneSeedDecidesTheWholeHistory() {
        for (long seed = 0; seed < 40; seed++) {
            Statistics first = Simulation.run(draw, seed);
            Statistics second = Simulation.run(draw, seed);
            assertThat(second.digest()).isEqualTo(first.digest());
            assertThat(second.messages()).isEqualTo(first.messages());
        }
        assertThat(Simulation.run(draw, 1).digest())
                .isNotEqualTo(Simulation.run(draw, 2).digest());
    }

    @Test
    void aTraceChangesNothing() {
        assertThat(Simulation.violation(draw, 3)).isNull();
        assertThat(Simulation.trace(draw, 3, 100_000)).contains("STARTS", "HOLDS", "EVERYTHING HEALS");
    }

    /** A simulation in which something can no longer happen is silent about it; a fault counts when it has an effect. */
    @Test
    void everyFaultAndEverySituationOccurs() {
        Set<Situation> met = ConcurrentHashMap.newKeySet();
        LongStream.range(0, FEW)
                .parallel()
                .mapToObj(seed -> Simulation.run(draw, seed))
                .forEach(statistics -> situations.stream()
                        .filter(situation -> statistics.count(situation) > 0)
                        .forEach(met::add));
        assertThat(met).containsExactlyInAnyOrderElementsOf(situations);
    }
}
