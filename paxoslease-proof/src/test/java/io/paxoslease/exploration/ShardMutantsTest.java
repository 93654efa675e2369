package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.plan.GroupHunt;
import io.paxoslease.shards.plan.OrderOfViews;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Switches off one rule of shard groups at a time, in the source, and looks for what it was for. */
@Tag("proof")
class ShardMutantsTest {

    @TestFactory
    Stream<DynamicTest> everyMutantIsFoundOut() {
        return ShardMutants.all().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.mutant().toString(), () -> {
                    List<String> found = hunt(entry);
                    assertThat(found).as("mutant %s survives", entry.mutant()).isNotEmpty();
                    System.out.println(entry.mutant() + ": " + found.get(0));
                }));
    }

    @Test
    void nothingIsFoundInTheRelease() {
        assertThat(new GroupHunt().get()).isEmpty();
        assertThat(new OrderOfViews().get()).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static List<String> hunt(ShardMutants.Entry entry) throws IOException, ReflectiveOperationException {
        Object hunter = new MutantLoader(entry.mutant())
                .loadClass(entry.hunter().getName())
                .getConstructor()
                .newInstance();
        return ((Supplier<List<String>>) hunter).get();
    }
}
