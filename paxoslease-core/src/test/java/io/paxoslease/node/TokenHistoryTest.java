package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TokenHistoryTest {

    private final String cell = "cell-" + UUID.randomUUID();
    private final TokenHistory tokens = new TokenHistory(cell, "a");

    @AfterEach
    void forget() {
        System.clearProperty("io.paxoslease.counter." + cell + "/a");
    }

    @Test
    void aLaterLifeKnowsTheCountersThatWereUsed() {
        assertThat(tokens.highestToken()).isZero();
        tokens.used(1_795_325_558_302_001L);

        assertThat(new TokenHistory(cell, "a").highestToken()).isEqualTo(1_795_325_558_302_001L);
        assertThat(new TokenHistory(cell, "b").highestToken()).isZero();
    }

    @Test
    void aLifeThatHasUsedNoneLeavesThemAsTheyAre() {
        tokens.used(7);
        tokens.used(0);

        assertThat(tokens.highestToken()).isEqualTo(7);
    }
}
