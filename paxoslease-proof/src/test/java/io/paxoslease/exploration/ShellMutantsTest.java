package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * The same as {@link MutantsTest} for the rules that threads, clocks and leases in users' hands keep.
 * Simulations begin with the {@linkplain KnownSeeds seed on file}.
 */
@Tag("proof")
class ShellMutantsTest {

    private static final KnownSeeds seeds = new KnownSeeds("simulations.properties");

    @AfterAll
    static void writeSeeds() {
        seeds.writeIfAsked();
    }

    @TestFactory
    Stream<DynamicTest> everyMutantIsFoundOut() {
        return ShellMutants.all().stream()
                .map(row -> DynamicTest.dynamicTest(row.toString(), () -> {
                    List<String> found = hunt(row);
                    assertThat(found).as("mutant %s survives", row).isNotEmpty();
                    System.out.printf("%-4s %s: %s%n", row.mutant().id, row.mutant().title, found);
                }));
    }

    /** The very same scenarios and seeds; in the deep build all that were tried. */
    @TestFactory
    Stream<DynamicTest> nothingIsFoundInTheRelease() {
        return ShellMutants.all().stream()
                .collect(Collectors.groupingBy(ShellMutants.Case::hunter, LinkedHashMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey().getSimpleName(), () -> {
                    Supplier<List<String>> hunter = hunter(each.getKey());
                    if (hunter instanceof LongFunction<?> && !Depth.isDeep()) {
                        assertThat(each.getValue())
                                .allSatisfy(row -> assertThat(simulation(hunter).apply(seeds.of(row.mutant())))
                                        .isEmpty());
                    } else {
                        assertThat(hunter.get()).isEmpty();
                    }
                }));
    }

    private static List<String> hunt(ShellMutants.Case row) {
        try {
            Supplier<List<String>> hunter =
                    hunter(new MutantLoader(row.mutant()).loadClass(row.hunter().getName()));
            return hunter instanceof LongFunction<?> ? huntSeeds(row.mutant(), hunter) : hunter.get();
        } catch (IOException | ClassNotFoundException e) {
            return fail("mutant " + row, e);
        }
    }

    private static List<String> huntSeeds(Mutant mutant, Supplier<List<String>> hunter) {
        LongFunction<List<String>> simulation = simulation(hunter);
        List<String> found = seeds.find(
                mutant,
                seed -> nullIfEmpty(simulation.apply(seed)),
                () -> nullIfEmpty(hunter.get()),
                lines -> Long.parseLong(lines.get(0)));
        return found == null ? List.of() : found;
    }

    private static @Nullable List<String> nullIfEmpty(List<String> found) {
        return found.isEmpty() ? null : found;
    }

    /** Of one seed. The class is the mutant's own, so this one cannot name it. */
    @SuppressWarnings("unchecked")
    private static LongFunction<List<String>> simulation(Supplier<List<String>> hunter) {
        return (LongFunction<List<String>>) hunter;
    }

    @SuppressWarnings("unchecked")
    private static Supplier<List<String>> hunter(Class<?> hunter) {
        try {
            return (Supplier<List<String>>) hunter.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            return fail("hunter " + hunter, e);
        }
    }
}
