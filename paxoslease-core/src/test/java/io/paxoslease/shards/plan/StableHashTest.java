package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The vectors were computed by another program from the steps in the javadoc of {@link StableHash}. They never change. */
class StableHashTest {

    @Test
    void theHashOfATextIsTheSameEverywhere() {
        assertThat(StableHash.of("")).isEqualTo(0xefd01f60ba992926L);
        assertThat(StableHash.of("a")).isEqualTo(0x82a2a958a9bece5bL);
        assertThat(StableHash.of("customer-4711")).isEqualTo(0x72b09c51a8a6b618L);
        assertThat(StableHash.of("Gr\u00fc\u00dfe")).isEqualTo(0x18ee3acd8b57a4feL);
        assertThat(StableHash.of("\u4e2d")).isEqualTo(0xf507b576262c5441L);
        assertThat(StableHash.of("\ud800")).isEqualTo(StableHash.of("?"));
    }

    @Test
    void theIndexOfAKeyIsTheSameEverywhere() {
        assertThat(StableHash.indexOf("", 32)).isEqualTo(6);
        assertThat(StableHash.indexOf("a", 32)).isEqualTo(27);
        assertThat(StableHash.indexOf("customer-4711", 32)).isEqualTo(24);
        assertThat(StableHash.indexOf("customer-4711", 1_000)).isEqualTo(72);
        assertThat(StableHash.indexOf("Gr\u00fc\u00dfe", 7)).isEqualTo(1);
        assertThat(StableHash.indexOf("anything", 1)).isEqualTo(0);
    }

    @Test
    void theWeightOfANodeForAShardIsTheSameEverywhere() {
        assertThat(StableHash.weight(StableHash.seed("invoices", "n1"), 0)).isEqualTo(0x9a4992d276175d6aL);
        assertThat(StableHash.weight(StableHash.seed("invoices", "n1"), 1)).isEqualTo(0xcc810199e45450e9L);
        assertThat(StableHash.weight(StableHash.seed("invoices", "n2"), 31)).isEqualTo(0x81ff90e9e1476414L);
        assertThat(StableHash.weight(StableHash.seed("orders", "n1"), 0)).isEqualTo(0x1e78bac6c395ed09L);
    }

    /** Keys that resemble each other, as customers' numbers do, spread evenly. */
    @Test
    void keysSpreadEvenly() {
        int[] counts = new int[32];
        for (int i = 0; i < 320_000; i++) {
            counts[StableHash.indexOf("customer-" + i, counts.length)]++;
        }
        assertThat(Arrays.stream(counts)).allMatch(each -> each > 9_600 && each < 10_400);
    }

    @Test
    void aGroupWithoutShardsHasNoIndex() {
        assertThatThrownBy(() -> StableHash.indexOf("a", 0)).hasMessageContaining("1 shard or more, not 0");
    }
}
