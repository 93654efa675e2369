package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long a proposer waits: long enough to be of use, and never for ever. */
class WaitsTest {

    private static final long MILLI = 1_000_000;
    private static final long LEASE = 10_000 * MILLI;

    private final Waits waits = new Waits(new SplittableRandom(1));

    @Test
    void aPhaseIsAnEighthOfTheLeaseTimeButWithinReason() {
        assertThat(Waits.phase(3_000 * MILLI)).isEqualTo(375 * MILLI);
        assertThat(Waits.phase(50 * MILLI)).isEqualTo(20 * MILLI);
        assertThat(Waits.phase(60_000 * MILLI)).isEqualTo(1_000 * MILLI);
    }

    @Test
    void whoHearsNothingWaitsTwiceAsLongEachTimeUpToHalfASecond() {
        for (int tries = 0; tries < 100; tries++) {
            assertThat(waits.afterSilence(1, LEASE)).isBetween(25 * MILLI, 50 * MILLI);
            assertThat(waits.afterSilence(3, LEASE)).isBetween(100 * MILLI, 200 * MILLI);
            assertThat(waits.afterSilence(tries + 5, LEASE)).isBetween(250 * MILLI, 500 * MILLI);
        }
    }

    @Test
    void whoLosesDuelsWaitsLongerUpToAnEighthOfTheLeaseTime() {
        long longest = 0;
        for (int tries = 0; tries < 100; tries++) {
            assertThat(waits.afterDuel(1, LEASE)).isBetween(1L, 2 * MILLI);
            longest = Math.max(longest, waits.afterDuel(tries + 12, LEASE));
        }
        assertThat(longest).isBetween(512 * MILLI, 1_024 * MILLI);
    }

    /** The hint that it is free may be lost. */
    @Test
    void nobodyWaitsForAHolderForMoreThanTenSeconds() {
        assertThat(waits.untilFree(1_000 * MILLI, LEASE)).isBetween(1_000 * MILLI, 1_006 * MILLI);
        assertThat(waits.untilFree(3_600_000 * MILLI, LEASE)).isBetween(10_000 * MILLI, 10_006 * MILLI);
        assertThat(waits.untilFree(-5, LEASE)).isBetween(1L, 6 * MILLI);
    }

    @Test
    void afterAReleaseEachHasATurn() {
        assertThat(waits.afterRelease(0)).isZero();
        assertThat(waits.afterRelease(1)).isBetween(2 * MILLI, 3 * MILLI);
        assertThat(waits.afterRelease(2)).isBetween(4 * MILLI, 5 * MILLI);
    }
}
