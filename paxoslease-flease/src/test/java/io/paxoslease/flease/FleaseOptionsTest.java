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
                .algorithm(FleaseOptions.defaults())
                .build();
        assertThat(options.algorithm()).isEqualTo(FleaseOptions.defaults());
        assertThat(options.leaseTime()).isEqualTo(PaxosLeaseOptions.DEFAULT_LEASE_TIME);
        assertThat(options.isCellOfOne()).isTrue();
    }

    @Test
    void aClockBoundIsNeitherZeroNorAsLongAsALease() {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> new FleaseOptions(Duration.ZERO))
                .withMessageContaining("at least 10 ms");
        FleaseOptions tooLong = new FleaseOptions(Duration.ofSeconds(5));
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(
                        () -> PaxosLeaseOptions.builder("a").algorithm(tooLong).build())
                .withMessageContaining("must be below the maximum lease time");
    }
}
