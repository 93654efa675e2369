package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.paxoslease.interleaving.InterleavingScenario;
import io.paxoslease.interleaving.InterleavingTrace;
import io.paxoslease.interleaving.Interleavings;
import io.paxoslease.interleaving.Interleavings.Finding;
import io.paxoslease.locks.LockRaces;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Threads that meet in the shell, in orders that seeds decide. The property {@code races.orders} says how many the release has to
 * stand in each scenario if not 50, or 150 in the deep build; {@code races.from} with which seed they begin.
 */
@Tag("proof")
class RacesTest {

    private static final int ORDERS_OF_A_MUTANT = 3_000;
    private static final int ORDERS_OF_THE_RELEASE = (int) Depth.of("races.orders", 50, 150);
    private static final long FIRST_SEED = Long.getLong("races.from", 0);

    private static final KnownSeeds seeds = new KnownSeeds("races.properties");

    @AfterAll
    static void writeSeeds() {
        seeds.writeIfAsked();
    }

    @TestFactory
    Stream<DynamicTest> everyPlantedRaceIsFound() {
        return RaceMutants.all().stream()
                .map(row -> DynamicTest.dynamicTest(row.toString(), () -> {
                    Finding found = hunt(row);
                    assertThat(found).as("race %s is not found", row).isNotNull();
                    System.out.printf("%-4s %s: %s%n", row.mutant().id, row.mutant().title, found);
                }));
    }

    private static @Nullable Finding hunt(RaceMutants.Case row) {
        Supplier<InterleavingScenario> scenarios = scenarios(row.mutant(), row.scenario());
        return seeds.find(
                row.mutant(),
                seed -> Interleavings.hunt(scenarios, seed, 1),
                () -> Interleavings.hunt(scenarios, 0, ORDERS_OF_A_MUTANT),
                Finding::seed);
    }

    /** The very same scenarios. Of what is found, every switch of threads is told. */
    @TestFactory
    Stream<DynamicTest> noRaceIsFoundInTheRelease() {
        return RaceMutants.all().stream()
                .map(RaceMutants.Case::scenario)
                .distinct()
                .map(scenario -> DynamicTest.dynamicTest(scenario.getSimpleName(), () -> {
                    Supplier<InterleavingScenario> scenarios = scenarios(new Mutant("release", ""), scenario);
                    Finding found = Interleavings.hunt(scenarios, FIRST_SEED, ORDERS_OF_THE_RELEASE);
                    if (found != null) {
                        fail("%s%n%s", found, String.join(System.lineSeparator(), switches(scenarios, found.seed())));
                    }
                }));
    }

    @Test
    void aSeedDecidesEverySwitch() {
        Supplier<InterleavingScenario> scenarios = scenarios(new Mutant("release", ""), LockRaces.Wanted.class);
        List<String> first = switches(scenarios, 1);
        assertThat(first).hasSizeGreaterThan(5).isEqualTo(switches(scenarios, 1));
        assertThat(first).isNotEqualTo(switches(scenarios, 2));
    }

    private static List<String> switches(Supplier<InterleavingScenario> scenarios, long seed) {
        InterleavingTrace trace = new InterleavingTrace();
        Interleavings.replay(scenarios, seed, trace);
        return trace.lines();
    }

    private static Supplier<InterleavingScenario> scenarios(
            Mutant mutant, Class<? extends InterleavingScenario> scenario) {
        try {
            Class<?> woven = new WovenLoader(mutant).loadClass(scenario.getName());
            return () -> {
                try {
                    return (InterleavingScenario) woven.getConstructor().newInstance();
                } catch (ReflectiveOperationException e) {
                    return fail("scenario " + scenario, e);
                }
            };
        } catch (IOException | ClassNotFoundException e) {
            return fail("mutant " + mutant, e);
        }
    }
}
