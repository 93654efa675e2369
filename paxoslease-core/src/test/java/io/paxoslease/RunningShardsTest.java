package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which shard a resource falls to. */
class RunningShardsTest {

    /** Written down once and for all: a release that spread names otherwise could not run beside this one. */
    @ParameterizedTest
    @CsvSource({
        "report,      0, 2, 2,  6",
        "role:x,      0, 1, 2, 14",
        "orders/42,   1, 2, 1,  5",
        "a,           1, 1, 1,  9",
        "b,           0, 0, 2,  6",
        "ré,          0, 2, 2,  2",
        "paxoslease,  1, 0, 1,  5",
        "'',          0, 0, 0,  0"
    })
    void aNameFallsToTheSameShardForEver(String resource, int of2, int of3, int of4, int of16) {
        assertThat(RunningShards.shardOf(resource, 1)).isZero();
        assertThat(RunningShards.shardOf(resource, 2)).isEqualTo(of2);
        assertThat(RunningShards.shardOf(resource, 3)).isEqualTo(of3);
        assertThat(RunningShards.shardOf(resource, 4)).isEqualTo(of4);
        assertThat(RunningShards.shardOf(resource, 16)).isEqualTo(of16);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 16})
    void namesThatDifferInANumberAreSpreadEvenly(int shards) {
        int names = 10_000;
        long[] counts = new long[shards];
        IntStream.range(0, names).forEach(i -> counts[RunningShards.shardOf("order-" + i, shards)]++);

        long even = names / shards;
        for (long count : counts) {
            assertThat(count).isBetween(even * 8 / 10, even * 12 / 10);
        }
    }

    @Test
    void equalNamesFallToOneShardWhateverObjectTheyAre() {
        for (int i = 0; i < 100; i++) {
            String name = "order-" + i;
            String copy = String.valueOf(name.toCharArray());
            assertThat(RunningShards.shardOf(copy, 16)).isEqualTo(RunningShards.shardOf(name, 16));
        }
    }
}
