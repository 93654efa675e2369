package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The same as {@link MutantsTest} for the rules that threads, clocks and leases in users' hands keep. */
@Tag("proof")
class ShellMutantsTest {

    @TestFactory
    Stream<DynamicTest> everyMutantIsFoundOut() {
        return ShellMutants.all().stream()
                .map(row -> DynamicTest.dynamicTest(row.toString(), () -> {
                    List<String> found = hunt(row);
                    assertThat(found).as("mutant %s survives", row).isNotEmpty();
                    System.out.printf("%-4s %s: %s%n", row.mutant().id, row.mutant().title, found);
                }));
    }

    /** The very same scenarios and seeds. */
    @TestFactory
    Stream<DynamicTest> nothingIsFoundInTheRelease() {
        return ShellMutants.all().stream()
                .map(ShellMutants.Case::hunter)
                .distinct()
                .map(hunter -> DynamicTest.dynamicTest(
                        hunter.getSimpleName(), () -> assertThat(run(hunter)).isEmpty()));
    }

    private static List<String> hunt(ShellMutants.Case row) {
        try {
            return run(new MutantLoader(row.mutant()).loadClass(row.hunter().getName()));
        } catch (IOException | ClassNotFoundException e) {
            return fail("mutant " + row, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static List<String> run(Class<?> hunter) {
        try {
            return ((Supplier<List<String>>) hunter.getConstructor().newInstance()).get();
        } catch (ReflectiveOperationException e) {
            return fail("hunter " + hunter, e);
        }
    }
}
