package io.paxoslease.flease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FleaseOptionsTest {

    @Test
    void aNodeRunsWhatItIsGiven() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a")
                .algorithm(FleaseOptions.builder().build())
                .build();
        assertThat(options.algorithm()).isEqualTo(FleaseOptions.builder().build());
        assertThat(options.leaseTime()).isEqualTo(PaxosLeaseOptions.DEFAULT_LEASE_TIME);
        assertThat(options.isCellOfOne()).isTrue();
    }

    @Test
    void aClockBoundIsNeitherZeroNorAsLongAsALease() {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(
                        () -> FleaseOptions.builder().clockBound(Duration.ZERO).build())
                .withMessageContaining("at least 10 ms");
        FleaseOptions tooLong =
                FleaseOptions.builder().clockBound(Duration.ofSeconds(5)).build();
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(
                        () -> PaxosLeaseOptions.builder("a").algorithm(tooLong).build())
                .withMessageContaining("must be below the maximum lease time");
    }
}
