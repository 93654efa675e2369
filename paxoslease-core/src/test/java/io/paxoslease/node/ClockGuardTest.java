package io.paxoslease.node;

import static io.paxoslease.node.ClockGuard.Verdict.AGREE;
import static io.paxoslease.node.ClockGuard.Verdict.DISAGREE;
import static io.paxoslease.node.ClockGuard.Verdict.MAY_HAVE_FORGOTTEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times in milliseconds; a drift bound of 10 %, and nothing is trusted without a beat for five seconds. */
class ClockGuardTest {

    private static final long MILLI = 1_000_000;
    private static final Reading START = new Reading(new Moment(Long.MAX_VALUE - MILLI), 1_800_000_000_000_000L);

    private final ClockGuard guard = new ClockGuard(0.1, 5_000 * MILLI, START, () -> null);

    private ClockGuard.Verdict beat(Reading now) {
        ClockGuard.Verdict verdict = guard.judge(now);
        guard.beat(now);
        return verdict;
    }

    @ParameterizedTest
    @CsvSource({
        // monotonic, wall
        "0, 0",
        "100, 100",
        "100, 0",
        "100, 320",
        "100, -120",
        "1000, 1400",
        "1000, 600",
        "60000, 72200",
        "60000, 47800",
    })
    void clocksWithinTheDriftAndAFifthOfASecondAgree(long monotonic, long wall) {
        assertThat(beat(after(monotonic, wall))).isEqualTo(AGREE);
    }

    @ParameterizedTest
    @CsvSource({"0, 201", "100, 321", "100, -121", "1000, 1401", "1000, 599", "1000, -86400000", "100, 1320"})
    void clocksFurtherApartDisagree(long monotonic, long wall) {
        assertThat(beat(after(monotonic, wall))).isEqualTo(DISAGREE);
    }

    @ParameterizedTest
    @CsvSource({"0, 1201", "100, 1321", "1000, 3000", "100, 86400000"})
    void aWallClockFarAheadMayMeanARestoredSnapshot(long monotonic, long wall) {
        assertThat(beat(after(monotonic, wall))).isEqualTo(MAY_HAVE_FORGOTTEN);
    }

    @Test
    void everyBeatIsComparedWithTheOneBefore() {
        assertThat(beat(after(100, 500))).isEqualTo(DISAGREE);
        assertThat(beat(after(200, 600))).isEqualTo(AGREE);
        assertThat(beat(after(300, 300))).isEqualTo(DISAGREE);
    }

    @Test
    void aSlowDriftWithinTheBoundNeverAddsUp() {
        for (int i = 1; i <= 1_000; i++) {
            assertThat(beat(after(i * 100L, i * 110L))).isEqualTo(AGREE);
        }
    }

    @Test
    void aFreshBeatIsTrusted() {
        assertThat(guard.trusts(START)).isTrue();
        assertThat(guard.trusts(after(100, 100))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"100, 321", "100, -121", "100, 5000", "0, 86400000", "0, -86400000"})
    void clocksThatDisagreeAreNotTrusted(long monotonic, long wall) {
        assertThat(guard.trusts(after(monotonic, wall))).isFalse();
    }

    /** What the guard does not know yet, because the node's thread has not run since, counts too. */
    @Test
    void aSuspendIsNoticedBeforeTheNextBeat() {
        assertThat(beat(after(100, 100))).isEqualTo(AGREE);
        assertThat(guard.trusts(after(150, 60_150))).isFalse();
        assertThat(beat(after(200, 60_200))).isEqualTo(MAY_HAVE_FORGOTTEN);
        assertThat(guard.trusts(after(210, 60_210))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {5_001, 6_000, 86_400_000})
    void withoutABeatNothingIsTrusted(long millis) {
        assertThat(guard.trusts(after(millis, millis))).isFalse();
    }

    @Test
    void aBeatIsOverdueOnEitherClock() {
        assertThat(guard.trusts(after(5_000, 5_000))).isTrue();
        assertThat(guard.trusts(after(5_001, 4_900))).isFalse();
        assertThat(guard.trusts(after(4_900, 5_001))).isFalse();
    }

    /** A reading from just before the latest beat, taken by another thread. */
    @Test
    void aReadingOlderThanTheLastBeatIsTrusted() {
        assertThat(beat(after(100, 100))).isEqualTo(AGREE);

        assertThat(guard.trusts(after(99, 99))).isTrue();
    }

    private static Reading after(long monotonicMillis, long wallMillis) {
        return new Reading(START.moment().plusNanos(monotonicMillis * MILLI), START.wallMicros() + wallMillis * 1_000);
    }
}
