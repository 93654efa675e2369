package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimingTest {

    private final Timing timing = new Timing(Duration.ofSeconds(9), 0.10);

    @Test
    void theExclusionIsTheLeaseTimesGammaRoundedUp() {
        assertThat(timing.exclusionNanos(9_000_000_000L)).isEqualTo(11_000_000_001L);
        assertThat(timing.exclusionNanos(1)).isEqualTo(2);
    }

    @Test
    void theQuarantineIsTheLongestLeaseTimesGamma() {
        assertThat(timing.quarantineNanos()).isEqualTo(timing.exclusionNanos(timing.maxLeaseNanos()));
    }

    @Test
    void theGuardIsAQuarterOfTheQuarantine() {
        assertThat(timing.aheadGuardNanos()).isEqualTo(timing.quarantineNanos() / 4);
    }

    @Test
    void aLeaseWithinAnExclusionNeverOutlivesIt() {
        for (long exclusion = 1; exclusion < 3_000_000_000L; exclusion = exclusion * 3 + 1) {
            long lease = timing.leaseNanosWithin(exclusion);
            assertThat(lease).isLessThan(exclusion);
            assertThat(timing.exclusionNanos(lease)).isLessThanOrEqualTo(exclusion);
        }
    }

    /** A holder whose clock is slow by rho and an acceptor whose clock is fast by rho measure the same instant. */
    @Test
    void theFastestAcceptorOutlastsTheSlowestHolder() {
        long lease = 1_000_000_000L;
        double holderRealNanos = lease / 0.90;
        double acceptorRealNanos = timing.exclusionNanos(lease) / 1.10;
        assertThat(acceptorRealNanos).isGreaterThanOrEqualTo(holderRealNanos);
    }
}
