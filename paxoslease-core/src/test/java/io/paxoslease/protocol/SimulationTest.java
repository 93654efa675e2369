package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Random runs of whole cells; {@code -Dsimulation.seeds=N} runs more of them, {@code -Dsimulation.seed=S} one. */
class SimulationTest {

    private static final long SEEDS = Long.getLong("simulation.seeds", 500);
    private static final Long ONE = Long.getLong("simulation.seed");

    @Test
    void noTwoNodesEverHoldOneLeaseAndEverybodyIsServedInTheEnd() {
        LongStream seeds = ONE == null ? LongStream.range(0, SEEDS).parallel() : LongStream.of(ONE);
        long handOvers = seeds.map(seed -> run(seed).handOvers()).sum();
        System.out.printf("%d simulated cells, %d hand-overs between nodes%n", ONE == null ? SEEDS : 1, handOvers);
        assertThat(handOvers).isGreaterThan(0);
    }

    @Test
    void oneSeedDecidesEverything() {
        assertThat(run(42).digest()).isEqualTo(run(42).digest());
    }

    private static Simulation run(long seed) {
        try {
            return new Simulation(seed).run();
        } catch (AssertionError e) {
            throw new AssertionError(
                    "Seed %d; repeat with mvn -pl paxoslease-core test -Dtest=SimulationTest -Dsimulation.seed=%d%n%s"
                            .formatted(seed, seed, e.getMessage()),
                    e);
        }
    }
}
