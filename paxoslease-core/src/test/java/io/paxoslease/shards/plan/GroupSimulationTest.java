package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Drawn groups under faults: no shard is worked on by two, none is released while work runs, and when the faults are over every shard
 * has an owner, the loads differ by one at most, and nothing moves any more. {@link GroupScenario} draws them.
 */
class GroupSimulationTest {

    @Test
    void groupsRecover() {
        assertThat(violations(0, 12)).isEmpty();
    }

    @Test
    @Tag("deep")
    void manyGroupsRecover() {
        assertThat(violations(0, 1_500)).isEmpty();
    }

    private static List<String> violations(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(GroupScenario::run)
                .flatMap(List::stream)
                .toList();
    }
}
