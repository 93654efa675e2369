package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallTest {

    private long now = Long.MAX_VALUE - 5;
    private final Stall stall = new Stall(() -> now);

    @Test
    void aStallIsCountedFromWhenItWasSeen() {
        assertThat(stall.nanos(true)).isZero();
        now += 1_000;
        assertThat(stall.nanos(false))
                .as("it was current for all that is known")
                .isZero();
        now += 1_000;
        assertThat(stall.nanos(false)).isEqualTo(1_000);
        assertThat(stall.nanos(true)).isZero();
        now += 1_000;
        assertThat(stall.nanos(false)).isZero();
    }
}
