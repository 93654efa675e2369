package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.simulation.HistoryChecker.Belief;
import io.paxoslease.simulation.HistoryChecker.Violation;
import io.paxoslease.simulation.RecordsChecker.Deed;
import io.paxoslease.simulation.RecordsChecker.Releasing;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A checker that accepts a bad history proves nothing. Three acceptors and one more node; p and q are incarnations. */
@Tag("proof")
class HistoryCheckerTest {

    private static final long P = 71;
    private static final long Q = 72;
    private static final int R = 0;
    private static final int S = 1;

    private final RecordsChecker checker = new RecordsChecker(3, 4, 2, true);

    private static Belief byP(long token, long until) {
        return new Belief(1, 0, R, token, P, until);
    }

    private static Belief byQ(long token, long until) {
        return new Belief(2, 1, R, token, Q, until);
    }

    /** Acceptors 0 and 1 record it, a little longer than it is believed in. */
    private void record(long now, Belief belief) {
        Deed deed = new Deed(belief.incarnation(), belief.token(), belief.until() + 5);
        checker.recorded(now, 0, belief.resource(), deed);
        checker.recorded(now, 1, belief.resource(), deed);
    }

    private void grant(long now, Belief belief) {
        record(now, belief);
        checker.believes(now, belief);
    }

    private static void rejected(String why, ThrowingCallable history) {
        assertThatExceptionOfType(Violation.class).isThrownBy(history).withMessageContaining(why);
    }

    @Test
    void oneHolderAfterTheOtherIsFine() {
        grant(10, byP(10, 100));
        grant(105, byQ(11, 200));

        assertThat(checker.grants()).isEqualTo(2);
        assertThat(checker.handOvers()).isEqualTo(1);
    }

    @Test
    void aReleasedLeaseMayBeGrantedAtOnce() {
        grant(10, byP(10, 100));
        checker.stopsBelieving(1, R);
        checker.dropped(20, 0, R, List.of(new Releasing(P, 10)));
        checker.dropped(20, 1, R, List.of(new Releasing(P, 12)));
        grant(20, byQ(11, 100));

        assertThat(checker.handOvers()).isEqualTo(1);
    }

    @Test
    void aRenewalMovesTheEnd() {
        grant(10, byP(10, 100));
        Deed renewed = new Deed(P, 20, 155);
        checker.recorded(50, 1, R, renewed);
        checker.recorded(50, 2, R, renewed);
        checker.believes(50, byP(10, 150));

        assertThat(checker.grants()).isEqualTo(1);
    }

    @Test
    void holdersOfDifferentResourcesAreFine() {
        grant(10, byP(10, 100));
        grant(10, new Belief(2, 1, S, 10, Q, 100));

        assertThat(checker.grants()).isEqualTo(2);
    }

    @Test
    void twoHoldersAtOneInstantAreRejected() {
        checker.mustBeSilent(0, 0, 1_000);
        checker.mustBeSilent(0, 1, 1_000);
        checker.believes(10, byP(10, 100));

        rejected("both", () -> checker.believes(99, byQ(11, 200)));
        assertThatCode(() -> checker.believes(100, byQ(11, 200))).doesNotThrowAnyException();
    }

    @Test
    void twoTenuresOfOneNodeAtOneInstantAreRejected() {
        grant(10, byP(10, 100));

        rejected("both", () -> checker.believes(20, new Belief(3, 0, R, 11, P, 90)));
    }

    @Test
    void anExtensionIntoAnothersTenureIsRejected() {
        grant(10, byP(10, 100));
        grant(105, byQ(11, 200));

        rejected("both", () -> checker.believes(110, byP(10, 120)));
    }

    @Test
    void aTokenThatGoesDownIsRejected() {
        grant(10, byP(10, 100));
        record(105, byQ(9, 200));

        rejected("token", () -> checker.believes(105, byQ(9, 200)));
    }

    @Test
    void anothersTokenIsRejected() {
        grant(10, byP(10, 100));
        record(105, byQ(10, 200));

        rejected("token", () -> checker.believes(105, byQ(10, 200)));
    }

    @Test
    void whereWallClocksAreWrongTokensMayDoAnything() {
        HistoryChecker lenient = new RecordsChecker(1, 2, 2, false);
        lenient.believes(10, byP(10, 100));

        assertThatCode(() -> lenient.believes(100, byQ(9, 200))).doesNotThrowAnyException();
    }

    @Test
    void aLiveRecordIsNeverReplaced() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        rejected("replaced", () -> checker.recorded(99, 0, R, new Deed(Q, 11, 200)));
    }

    @Test
    void aRecordWhoseTimeIsOverMayBeReplaced() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        assertThatCode(() -> checker.recorded(100, 0, R, new Deed(Q, 11, 200))).doesNotThrowAnyException();
    }

    @Test
    void aLiveRecordNeitherLosesTimeNorGoesBackToALowerCounter() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        rejected("back", () -> checker.recorded(20, 0, R, new Deed(P, 11, 99)));
        rejected("back", () -> checker.recorded(20, 0, R, new Deed(P, 9, 200)));
    }

    @Test
    void aRecordGoesOnlyWithARelease() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        rejected("dropped", () -> checker.dropped(20, 0, R, List.of()));
    }

    @Test
    void aReleaseOfAnotherIncarnationTakesNothing() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        rejected("dropped", () -> checker.dropped(20, 0, R, List.of(new Releasing(Q, 99))));
    }

    @Test
    void aReleaseThatDoesNotReachTheCounterTakesNothing() {
        checker.recorded(10, 0, R, new Deed(P, 10, 100));

        rejected("dropped", () -> checker.dropped(20, 0, R, List.of(new Releasing(P, 9))));
    }

    @Test
    void aReleaseWhileTheTenureIsBelievedInIsRejected() {
        grant(10, byP(10, 100));

        rejected("rests", () -> checker.dropped(20, 0, R, List.of(new Releasing(P, 10))));
    }

    @Test
    void aRecordFromBeforeTheTenureMayBeReleasedDuringIt() {
        checker.recorded(5, 2, R, new Deed(P, 7, 100));
        grant(10, byP(10, 100));

        assertThatCode(() -> checker.dropped(20, 2, R, List.of(new Releasing(P, 7))))
                .doesNotThrowAnyException();
    }

    @Test
    void aBeliefWithoutAMajorityOfRecordsIsRejected() {
        checker.recorded(10, 0, R, new Deed(P, 10, 105));

        rejected("only 1", () -> checker.believes(10, byP(10, 100)));
    }

    @Test
    void recordsThatEndEarlierDoNotCount() {
        checker.recorded(10, 0, R, new Deed(P, 10, 105));
        checker.recorded(10, 1, R, new Deed(P, 10, 99));

        rejected("only 1", () -> checker.believes(10, byP(10, 100)));
    }

    @Test
    void recordsOfLowerCountersOrOtherIncarnationsDoNotCount() {
        checker.recorded(10, 0, R, new Deed(P, 10, 105));
        checker.recorded(10, 1, R, new Deed(P, 9, 105));
        checker.recorded(10, 2, R, new Deed(Q, 10, 105));

        rejected("only 1", () -> checker.believes(10, byP(10, 100)));
    }

    @Test
    void whoCrashedOrIsSilentLongEnoughCounts() {
        grant(10, byP(10, 100));
        checker.crashed(0);

        assertThatCode(() -> checker.mustBeSilent(20, 0, 100)).doesNotThrowAnyException();
    }

    @Test
    void aQuarantineThatEndsBeforeTheBeliefIsRejected() {
        grant(10, byP(10, 100));
        checker.crashed(0);

        rejected("only 1", () -> checker.mustBeSilent(20, 0, 99));
    }

    @Test
    void aClockThatShortensAnExclusionBelowTheBeliefIsRejected() {
        grant(10, byP(10, 100));
        checker.reclocked(0, R, 99);

        rejected("only 1", () -> checker.checkContained(20, R));
    }

    @Test
    void whoMustBeSilentAnswersNothing() {
        checker.mustBeSilent(10, 0, 100);

        rejected("answered", () -> checker.answered(99, 0));
        assertThatCode(() -> checker.answered(100, 0)).doesNotThrowAnyException();
    }

    @Test
    void aSlowerClockMakesTheSilenceLonger() {
        checker.mustBeSilent(10, 0, 100);
        checker.silenceReclocked(0, 110);

        rejected("answered", () -> checker.answered(109, 0));
    }

    @Test
    void whoMustBeSilentRecordsNothing() {
        checker.mustBeSilent(10, 0, 100);

        rejected("recorded", () -> checker.recorded(99, 0, R, new Deed(P, 10, 200)));
    }

    @Test
    void whoMustBeSilentForgetsNothing() {
        checker.mustBeSilent(10, 0, 100);

        rejected("dropped", () -> checker.dropped(99, 0, R, List.of(new Releasing(P, 10))));
    }

    /** The members become 1, 2 and 3 while 0 and 1 keep others from the lease. */
    @Test
    void whatIsHeldOverASealNeedsAMajorityOfTheNewListByThen() {
        grant(10, byP(10, 100));

        rejected("only 1 acceptors exclude others", () -> checker.decides(20, new int[] {1, 2, 3}));
    }

    @Test
    void whatBothListsHaveGrantedIsHeldOverTheSeal() {
        grant(10, byP(10, 100));
        checker.recorded(11, 2, R, new Deed(P, 10, 105));
        checker.decides(20, new int[] {1, 2, 3});

        checker.stopsBelieving(1, R);
        checker.dropped(30, 1, R, List.of(new Releasing(P, 10)));
        checker.dropped(30, 2, R, List.of(new Releasing(P, 10)));
        Deed deed = new Deed(Q, 11, 205);
        checker.recorded(40, 2, R, deed);
        checker.recorded(40, 3, R, deed);
        checker.believes(40, byQ(11, 200));
        assertThat(checker.handOvers()).isEqualTo(1);
    }

    @Test
    void afterTheSealAMajorityOfTheListBeforeIsNotEnough() {
        checker.decides(5, new int[] {1, 2, 3});
        record(10, byP(10, 100));

        rejected("only 1 acceptors exclude others", () -> checker.believes(10, byP(10, 100)));
    }

    @Test
    void aListOfOneIsJudgedWhereMembersChange() {
        checker.decides(5, new int[] {3});

        rejected("only 0 acceptors exclude others", () -> checker.believes(10, byP(10, 100)));
    }

    @Test
    void whereNoListIsKnownToDecideTwoHoldersAreStillOneTooMany() {
        checker.decides(5, null);
        checker.believes(10, byP(10, 100));

        rejected("believe at 20", () -> checker.believes(20, byQ(11, 100)));
    }

    @Test
    void beyondTheLimitNothingIsPromisedOfWhoBelievesWhat() {
        grant(10, byP(10, 100));
        checker.rest();

        assertThatCode(() -> checker.believes(20, byQ(9, 100))).doesNotThrowAnyException();
        assertThatCode(() -> checker.decides(20, new int[] {3})).doesNotThrowAnyException();
    }
}
