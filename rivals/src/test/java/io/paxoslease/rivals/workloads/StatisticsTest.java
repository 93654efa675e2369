package io.paxoslease.rivals.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {

    @Test
    void equalSharesAreFair() {
        assertThat(Statistics.jain(7, 7, 7, 7)).isEqualTo(1);
    }

    @Test
    void oneWhoHasEverythingLeavesOneOverTheCount() {
        assertThat(Statistics.jain(0, 12, 0, 0)).isEqualTo(0.25);
    }

    @Test
    void halfOfThemWithoutAShareLeaveAHalf() {
        assertThat(Statistics.jain(5, 0, 5, 0)).isCloseTo(0.5, within(1e-12));
    }

    @Test
    void largeSharesDoNotOverflow() {
        assertThat(Statistics.jain(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2)).isCloseTo(1, within(1e-12));
    }

    @Test
    void noSharesHaveNoIndex() {
        assertThat(Statistics.jain(0, 0)).isNaN();
    }
}
