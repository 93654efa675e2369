package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Switches off one rule of leases in shared storage at a time, in the source, and looks for what goes wrong. */
@Tag("proof")
class StorageMutantsTest {

    private static final int WALKS = 6_000;
    private static final int WALKS_OF_THE_RELEASE = (int) Depth.of("storage.walks", 400, 2_000);

    @TestFactory
    Stream<DynamicTest> walksFindAViolationOfEveryMutant() {
        return StorageMutants.all().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.toString(), () -> {
                    List<String> found = hunt(entry.mutant());
                    assertThat(found).as("mutant %s survives", entry).isNotEmpty();
                    System.out.println(entry + ": " + found.get(0));
                }));
    }

    /** Without a change nothing may be found, or the search would prove nothing; and something must come to be held. */
    @TestFactory
    Stream<DynamicTest> walksFindNothingInTheRelease() {
        return StorageMutants.all().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.toString(), () -> {
                    StorageExplorer.Result result = new StorageExplorer(entry::fresh).walk(WALKS_OF_THE_RELEASE, 0);
                    assertThat(result.story()).isEmpty();
                    assertThat(result.grants()).isPositive();
                }));
    }

    @SuppressWarnings("unchecked")
    private static List<String> hunt(Mutant mutant) throws IOException, ReflectiveOperationException {
        Object hunter = new MutantLoader(mutant)
                .loadClass(StorageHunt.class.getName())
                .getConstructor()
                .newInstance();
        return ((BiFunction<String, Integer, List<String>>) hunter).apply(mutant.id, WALKS);
    }
}
