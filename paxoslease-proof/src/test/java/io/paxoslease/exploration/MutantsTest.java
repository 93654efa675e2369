package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Switches off one safety rule at a time, in the source, and looks for what goes wrong. A mutant that survives is a hole in
 * the tests. {@code -Dwitnesses.rewrite=true} puts the schedules found on file.
 */
@Tag("proof")
class MutantsTest {

    private static final boolean REWRITE = Boolean.getBoolean("witnesses.rewrite");
    private static final int WALKS_OF_THE_RELEASE = (int) Depth.of("mutants.walks", 100, 500);

    /** In every build the schedules on file break the mutants: to look for others is for the deep build. */
    @TestFactory
    Stream<DynamicTest> walksFindAViolationOfEveryMutant() {
        if (!Depth.isDeep() && !REWRITE) {
            return Stream.empty();
        }
        Map<String, List<String>> found = Mutants.all().parallelStream()
                .collect(Collectors.toMap(mutant -> mutant.id, mutant -> hunt(mutant, List.of())));
        return Mutants.all().stream()
                .map(mutant -> DynamicTest.dynamicTest(mutant.toString(), () -> {
                    List<String> lines = found.getOrDefault(mutant.id, List.of());
                    assertThat(lines).as("mutant %s survives", mutant).isNotEmpty();
                    Witness witness = Witness.of(lines);
                    System.out.printf(
                            "%-4s %s: after %s walks, %d steps: %s%n",
                            mutant.id,
                            mutant.title,
                            lines.get(0),
                            witness.schedule().size(),
                            witness.violation());
                    if (REWRITE) {
                        witness.write(mutant);
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> theScheduleOnFileBreaksTheMutantInTheSameWay() {
        return Mutants.all().stream()
                .map(mutant -> DynamicTest.dynamicTest(mutant.toString(), () -> {
                    Witness witness = Witness.read(mutant);
                    List<String> lines = hunt(mutant, witness.schedule());
                    assertThat(lines)
                            .as(
                                    "the schedule does not break mutant %s any more; find another with"
                                            + " -Dwitnesses.rewrite=true",
                                    mutant)
                            .isNotEmpty();
                    assertThat(Witness.of(lines)).isEqualTo(witness);
                }));
    }

    @TestFactory
    Stream<DynamicTest> theReleaseRefusesTheVerySameSchedule() {
        return Mutants.all().stream()
                .map(mutant -> DynamicTest.dynamicTest(mutant.toString(), () -> {
                    ExploredWorld world = new ExploredWorld(mutant.cell.withProperIncarnations(), null);
                    Script.parse(Witness.read(mutant).schedule()).forEach(world::apply);
                    assertThat(world.violation()).isNull();
                }));
    }

    /** Without a change nothing may be found, or the search would prove nothing. */
    @TestFactory
    Stream<DynamicTest> walksFindNothingInTheRelease() {
        return Mutants.all().stream()
                .map(mutant -> DynamicTest.dynamicTest(mutant.toString(), () -> assertThat(
                                new Walk(mutant.cell.withProperIncarnations()).search(WALKS_OF_THE_RELEASE))
                        .isNull()));
    }

    @TestFactory
    Stream<DynamicTest> theTableOfSchedulesIsUpToDate() throws IOException {
        List<String> table =
                Files.readAllLines(Path.of(System.getProperty("basedir", ".")).resolve("../docs/simulation.md"));
        return Mutants.all().stream()
                .map(mutant -> DynamicTest.dynamicTest(mutant.toString(), () -> assertThat(table)
                        .contains(
                                "| %1$s | %2$s | [%1$s.txt](../paxoslease-proof/src/test/resources/witnesses/%1$s.txt), %3$d steps |"
                                        .formatted(
                                                mutant.id,
                                                mutant.title,
                                                Witness.read(mutant).schedule().size()))));
    }

    /** Else row 2 would show a defect of its own renewals instead of what overwriting does to them. */
    @Test
    void aRenewalInTwoRoundsBreaksNothingByItself() throws IOException {
        Mutant overwriting = Mutants.of("2");
        Mutant renewing = Mutants.renewsInTwoRounds(new Mutant("2", "a renewal in two rounds"));
        assertThat(hunt(renewing, Witness.read(overwriting).schedule())).isEmpty();
        if (Depth.isDeep()) {
            assertThat(hunt(renewing, List.of())).isEmpty();
        }
    }

    @Test
    void aMutantWhoseTextIsGoneIsReported() {
        Mutant stale = new Mutant("0", "stale").change("protocol/paxos/Ballot.java", "no such text", "");
        assertThat(catchThrowable(() -> new MutantLoader(stale)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("adapt it");
    }

    private static List<String> hunt(Mutant mutant, List<String> schedule) {
        try {
            return hunter(new MutantLoader(mutant)).apply(mutant.id, schedule);
        } catch (IOException | ReflectiveOperationException e) {
            return fail("mutant " + mutant, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static BiFunction<String, List<String>, List<String>> hunter(MutantLoader loader)
            throws ReflectiveOperationException {
        return (BiFunction<String, List<String>, List<String>>)
                loader.loadClass(Hunt.class.getName()).getConstructor().newInstance();
    }
}
