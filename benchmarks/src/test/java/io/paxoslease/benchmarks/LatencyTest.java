package io.paxoslease.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyTest {

    @Test
    void theMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Latency.median(3, 1, 2)).isEqualTo(2);
        assertThat(Latency.median(4, 1, 2, 3)).isEqualTo(2.5);
    }

    @Test
    void aRoundThatWasDisturbedDoesNotMoveTheMedianOfTheRounds() {
        Latency latency = new Latency("x", 3);
        latency.round(0).recordValue(1_000);
        latency.round(1).recordValue(1_000);
        latency.round(2).recordValue(900_000);

        assertThat(latency.medianMicros(50)).isEqualTo(1);
        assertThat(latency.count()).isEqualTo(3);
    }
}
