package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long a proposer waits: long enough to be of use, and never for ever. */
class BackoffTest {

    private static final long MILLI = 1_000_000;
    private static final long LEASE = 10_000 * MILLI;

    private final Backoff backoff = new Backoff(new SplittableRandom(1));

    @Test
    void aRoundIsAnEighthOfTheLeaseTimeButWithinReason() {
        assertThat(Backoff.round(3_000 * MILLI)).isEqualTo(375 * MILLI);
        assertThat(Backoff.round(50 * MILLI)).isEqualTo(20 * MILLI);
        assertThat(Backoff.round(60_000 * MILLI)).isEqualTo(1_000 * MILLI);
    }

    @Test
    void whoHearsNothingWaitsTwiceAsLongEachTimeUpToHalfASecond() {
        for (int tries = 0; tries < 100; tries++) {
            assertThat(backoff.afterSilence(1, LEASE)).isBetween(25 * MILLI, 50 * MILLI);
            assertThat(backoff.afterSilence(3, LEASE)).isBetween(100 * MILLI, 200 * MILLI);
            assertThat(backoff.afterSilence(tries + 5, LEASE)).isBetween(250 * MILLI, 500 * MILLI);
        }
    }

    @Test
    void whoLosesDuelsWaitsLongerUpToAnEighthOfTheLeaseTime() {
        long longest = 0;
        for (int tries = 0; tries < 100; tries++) {
            assertThat(backoff.afterDuel(1, LEASE)).isBetween(1L, 2 * MILLI);
            longest = Math.max(longest, backoff.afterDuel(tries + 12, LEASE));
        }
        assertThat(longest).isBetween(512 * MILLI, 1_024 * MILLI);
    }

    /** The hint that it is free may be lost. */
    @Test
    void nobodyWaitsForAHolderForMoreThanTenSeconds() {
        assertThat(backoff.untilFree(1_000 * MILLI, LEASE)).isBetween(1_000 * MILLI, 1_006 * MILLI);
        assertThat(backoff.untilFree(3_600_000 * MILLI, LEASE)).isBetween(10_000 * MILLI, 10_006 * MILLI);
        assertThat(backoff.untilFree(-5, LEASE)).isBetween(1L, 6 * MILLI);
    }

    @Test
    void afterAReleaseEachHasATurn() {
        assertThat(backoff.afterRelease(0)).isZero();
        assertThat(backoff.afterRelease(1)).isBetween(2 * MILLI, 3 * MILLI);
        assertThat(backoff.afterRelease(2)).isBetween(4 * MILLI, 5 * MILLI);
    }
}
