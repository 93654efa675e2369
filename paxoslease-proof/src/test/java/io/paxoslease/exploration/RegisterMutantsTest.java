package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.store.VersionsHunt;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Switches off one rule of the registers at a time, in the source, and looks for a read that goes back. {@code VersionsWorldTest} finds none in the release. */
@Tag("proof")
class RegisterMutantsTest {

    @TestFactory
    Stream<DynamicTest> aViolationOfEveryMutantIsFound() {
        return RegisterMutants.all().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.mutant().toString(), () -> {
                    List<String> found = hunt(entry);
                    assertThat(found).as("mutant %s survives", entry.mutant()).isNotEmpty();
                    System.out.println(entry.mutant() + ": " + found.get(0));
                }));
    }

    @SuppressWarnings("unchecked")
    private static List<String> hunt(RegisterMutants.Entry entry) throws IOException, ReflectiveOperationException {
        Object hunter = new MutantLoader(entry.mutant())
                .loadClass(VersionsHunt.class.getName())
                .getConstructor()
                .newInstance();
        return ((Function<String, List<String>>) hunter).apply(entry.world());
    }
}
