package io.paxoslease.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.plan.GroupSettings;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupWarningsTest {

    private final GroupWarnings warnings = new GroupWarnings(
            new GroupSettings("invoices", 8, 8, 0, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20)));

    @Test
    void shardsWithoutRoomAreToldOfOnceUntilThereIsRoom() {
        assertThat(unplaced(3, 5))
                .containsExactly(
                        "2 of 8 shards of group 'invoices' have no owner: no active instance has room within its max-owned. Raise it, or start more instances");
        assertThat(unplaced(3, 5, 6)).isEmpty();
        assertThat(unplaced()).isEmpty();
        assertThat(unplaced(1)).hasSize(1);
    }

    @Test
    void workThatDoesNotEndIsToldOfOncePerShard() {
        assertThat(warnings.news(of(), of(), of(3), of()))
                .containsExactly(
                        "The work on shard 3 of group 'invoices' has not ended in 20000 ms: this instance keeps the shard until it has."
                                + " Let work end when its thread is interrupted");
        assertThat(warnings.news(of(), of(), of(3, 4), of()))
                .singleElement()
                .asString()
                .contains("shard 4");
        assertThat(warnings.news(of(), of(), of(4), of())).isEmpty();
        assertThat(warnings.news(of(), of(), of(3, 4), of())).hasSize(1);
    }

    @Test
    void aShardThatWaitsForEarlierWorkIsToldOf() {
        assertThat(warnings.news(of(), of(), of(), of(2)))
                .containsExactly(
                        "This instance owns shard 2 of group 'invoices' again, and does not work on it: the work under the lease that was"
                                + " lost has not ended");
        assertThat(warnings.news(of(), of(), of(), of(2))).isEmpty();
    }

    @Test
    void shardsThatAreNotGrantedAreToldOfOnce() {
        assertThat(warnings.news(of(), of(1, 2), of(), of()))
                .singleElement()
                .asString()
                .startsWith("2 of 8 shards of group 'invoices' are requested by this instance and not granted");
        assertThat(warnings.news(of(), of(1, 2, 3), of(), of())).isEmpty();
    }

    private List<String> unplaced(int... shards) {
        return warnings.news(of(shards), of(), of(), of());
    }

    private static BitSet of(int... shards) {
        BitSet set = new BitSet();
        for (int shard : shards) {
            set.set(shard);
        }
        return set;
    }
}
