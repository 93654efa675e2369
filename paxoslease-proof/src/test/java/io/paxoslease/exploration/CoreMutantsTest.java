package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.paxos.CoreBounds;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Section 9 over the safety core alone: of every schedule that there is, the shortest one that breaks each mutant. */
@Tag("proof")
class CoreMutantsTest {

    @TestFactory
    Stream<DynamicTest> explorationFindsTwoHoldersInEveryMutantOfAChange() {
        return CoreBounds.mutants().keySet().stream()
                .map(id -> DynamicTest.dynamicTest(id, () -> {
                    List<String> schedule = hunter(new MutantLoader(mutant(id))).apply(id);
                    System.out.printf("%s: two holders in %d steps%n", id, schedule.size());
                    assertThat(schedule).as("mutant %s survives", id).isNotEmpty();
                }));
    }

    private static Mutant mutant(String id) {
        return Stream.concat(Mutants.all().stream(), ShellMutants.all().stream().map(ShellMutants.Case::mutant))
                .filter(each -> each.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    @SuppressWarnings("unchecked")
    private static Function<String, List<String>> hunter(MutantLoader loader) throws ReflectiveOperationException {
        return (Function<String, List<String>>)
                loader.loadClass(CoreHunt.class.getName()).getConstructor().newInstance();
    }
}
