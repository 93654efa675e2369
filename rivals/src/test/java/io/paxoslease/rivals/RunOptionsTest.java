package io.paxoslease.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class RunOptionsTest {

    @Test
    void whatIsNotSaidIsTheDefault() {
        RunOptions options = RunOptions.parse("--rounds=7");
        assertThat(options.get("rounds")).isEqualTo(7);
        assertThat(options.get("measure-s")).isEqualTo(RunOptions.DEFAULTS.get("measure-s"));
    }

    @Test
    void theFloorIsAlwaysWanted() {
        RunOptions options = RunOptions.parse("--only=redisson,ours");
        assertThat(options.wants("redisson")).isTrue();
        assertThat(options.wants("ours")).isTrue();
        assertThat(options.wants("tcp")).isTrue();
        assertThat(options.wants("etcd")).isFalse();
    }

    @Test
    void allAreWantedWhenNothingIsSaid() {
        assertThat(RunOptions.parse().wants("etcd")).isTrue();
    }

    @Test
    void anUnknownContenderIsRefusedWithTheNamesOfAll() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.parse("--only=zookeeper"))
                .withMessageContainingAll("zookeeper", "curator");
    }

    @Test
    void anUnknownOptionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.parse("--round=3"))
                .withMessageContaining("--round");
    }

    @Test
    void zeroIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--runs=0"));
    }

    @Test
    void workloadsHaveTheWordsOfTheCommandLine() {
        assertThat(Workload.of("fail-over")).isEqualTo(Workload.FAIL_OVER);
        assertThatIllegalArgumentException().isThrownBy(() -> Workload.of("failover"));
    }
}
