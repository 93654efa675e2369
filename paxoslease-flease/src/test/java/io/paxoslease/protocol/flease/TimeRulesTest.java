package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time rules, to the microsecond: each is as long as docs/flease.md says, and no shorter. */
class TimeRulesTest {

    private static final Duration LEASE = FleaseCell.MAX_LEASE;
    private static final long BOUND = 500_000;
    private static final long SLOT = FleaseCell.WALL / BOUND;

    private final TimeRules bound = bound(LEASE, FleaseCell.BOUND);
    private final Reading now = new Reading(new Moment(0), FleaseCell.WALL);

    private static TimeRules bound(Duration maxLease, Duration epsilon) {
        return new TimeRules(new Timing(maxLease, FleaseCell.DRIFT), epsilon.toNanos());
    }

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    private Reading later(Duration time) {
        return now.plusNanos(time.toNanos());
    }

    private Round inSlot(long slot) {
        return new Round(slot, 0, FleaseCell.id(0));
    }

    private static Value lease(long endMicros, long token) {
        return new Value(new Value.Owner(FleaseCell.id(0), new Incarnation(1, 2)), endMicros, token);
    }

    @Test
    void theSilenceOutlastsTheLongestLeaseAndTheBoundByAnyClock() {
        double fastest = (1 + FleaseCell.DRIFT) / (1 - FleaseCell.DRIFT);
        long least = (long) (LEASE.plus(FleaseCell.BOUND).toNanos() * fastest);
        assertThat(bound.silenceNanos()).isBetween(least, least + 1_000);
    }

    @Test
    void nobodyIsToldOfAClockUntilWhatWasToldBeforeHasCeasedToCountByAnyClock() {
        double fastest = (1 + FleaseCell.DRIFT) / (1 - FleaseCell.DRIFT);
        assertThat(bound.unansweredNanos()).isGreaterThanOrEqualTo((long) (bound.validityNanos() * fastest));
    }

    @Test
    void aComparisonCountsForTheLeastOfFiveSecondsTheLongestLeaseAndFifteenBounds() {
        assertThat(nanos(bound(Duration.ofMinutes(1), FleaseCell.BOUND).validityNanos()))
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(nanos(bound(Duration.ofSeconds(3), FleaseCell.BOUND).validityNanos()))
                .isEqualTo(Duration.ofSeconds(3));
        assertThat(nanos(bound(LEASE, Duration.ofMillis(100)).validityNanos())).isEqualTo(Duration.ofMillis(1_500));
    }

    @Test
    void whatMayGoUnnoticedIsAThirtySecondAndTheGrain() {
        assertThat(bound.unnoticedMicros()).isEqualTo(BOUND / 32 + 1_000);
        assertThat(bound.comparisonErrorMicros()).isEqualTo(1_000 + 2 * bound.unnoticedMicros());
    }

    @Test
    void noSlotIsThatOfNoRound() {
        assertThat(bound.slot(new Reading(new Moment(0), 0))).isEqualTo(1);
        assertThat(bound.slot(now)).isEqualTo(SLOT);
    }

    @Test
    void roundsOlderThanTheLongestLeaseAndThreeSlotsAreRefused() {
        assertThat(bound.horizonSlot(now)).isEqualTo(SLOT - 10 - 3);
        assertThat(nanos(bound.horizonNanos())).isEqualTo(LEASE.plus(FleaseCell.BOUND.multipliedBy(5)));
    }

    /** Two slots ahead was promised, one bound is not sure, and the silence was the longest lease and the bound. */
    @Test
    void afterASilenceWhatMayHaveBeenPromisedBeforeItIsRefused() {
        assertThat(bound.slotAfterSilence(now)).isEqualTo(SLOT - 1);
        assertThat(bound(LEASE, Duration.ofSeconds(2)).slotAfterSilence(now))
                .isEqualTo(FleaseCell.WALL / 2_000_000 + 2);
        assertThat(bound(LEASE, Duration.ofMillis(1_300)).slotAfterSilence(now))
                .isEqualTo(FleaseCell.WALL / 1_300_000 + 1);
    }

    @Test
    void aTenureIsReleasedWithoutAReadThreeSlotsBeforeItsEndAndNotLater() {
        assertThat(bound.isWellBeforeEnd(inSlot(SLOT), FleaseCell.WALL + 3 * BOUND))
                .isTrue();
        assertThat(bound.isWellBeforeEnd(inSlot(SLOT), FleaseCell.WALL + 3 * BOUND - 1))
                .isFalse();
    }

    @Test
    void twoSlotsAheadMayBeAndThreeMayNot() {
        assertThat(bound.isTooFarAhead(inSlot(SLOT + 2), now)).isFalse();
        assertThat(bound.isTooFarAhead(inSlot(SLOT + 3), now)).isTrue();
    }

    @Test
    void noEndAndNoTokenIsLaterThanTheLongestLeaseAndTheBoundFromNow() {
        long latest = FleaseCell.WALL + LEASE.toNanos() / 1_000 + BOUND;
        assertThat(bound.isAbsurd(lease(latest, latest), now)).isFalse();
        assertThat(bound.isAbsurd(lease(latest + 1, latest), now)).isTrue();
        assertThat(bound.isAbsurd(lease(latest, latest + 1), now)).isTrue();
    }

    @Test
    void aLeaseIsOverTheBoundAfterItsEnd() {
        Value value = lease(FleaseCell.WALL, 1);
        assertThat(bound.isOver(value, new Reading(new Moment(0), FleaseCell.WALL + BOUND)))
                .isTrue();
        assertThat(bound.isOver(value, new Reading(new Moment(0), FleaseCell.WALL + BOUND - 1)))
                .isFalse();
    }

    @Test
    void whatARegisterHoldsMayBeForgottenWhenEveryClockHasPassedItsToken() {
        Value released = new Value(null, 0, FleaseCell.WALL);
        assertThat(bound.isForgettable(released, later(FleaseCell.BOUND), SLOT)).isFalse();
        assertThat(bound.isForgettable(released, later(FleaseCell.BOUND.plusNanos(1_000)), SLOT))
                .isTrue();
    }

    @Test
    void aLeaseMayBeForgottenWhenRoundsOfItsEndAreRefused() {
        Value value = lease(FleaseCell.WALL, 1);
        Reading over = later(Duration.ofHours(1));
        assertThat(bound.isForgettable(value, over, SLOT)).isFalse();
        assertThat(bound.isForgettable(value, over, SLOT + 1)).isTrue();
        assertThat(bound.isForgettable(value, now, SLOT + 1)).isFalse();
    }

    @Test
    void aBoundBelowTheGrainOrAboveTheLongestLeaseIsRefused() {
        assertThat(bound(LEASE, nanos(2_001_000)).micros()).isEqualTo(2_001);
        assertThatIllegalArgumentException().isThrownBy(() -> bound(LEASE, Duration.ofMillis(2)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bound(LEASE, LEASE))
                .withMessageContaining("below the longest lease");
    }
}
