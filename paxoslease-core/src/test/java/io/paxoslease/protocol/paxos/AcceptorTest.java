package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Section 5, A0 to A5. Times in milliseconds; the wall clock starts at {@link #WALL}. */
class AcceptorTest {

    private static final long WALL = 1_000_000_000L;
    private static final Timing TIMING = new Timing(Duration.ofMillis(1_000), 0.10);
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final Incarnation P = new Incarnation(1, 1);
    private static final Incarnation Q = new Incarnation(2, 2);
    private static final Incarnation R = new Incarnation(3, 3);

    private final Acceptor acceptor = TestAcceptors.acceptor(TIMING, null, at(0));

    private static Reading at(long millis) {
        return new Reading(new Moment(millis * 1_000_000), WALL + millis * 1_000);
    }

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }

    private Reply prepare(Incarnation who, long counter, long millis) {
        return acceptor.prepare(node(who), new Prepare("r", new Ballot(WALL + counter, who), 1), at(millis));
    }

    /** Where that incarnation is. */
    private static NodeId node(Incarnation who) {
        return P.equals(who) ? A : R.equals(who) ? C : B;
    }

    private Reply propose(Incarnation who, long counter, long leaseMillis, long millis) {
        Ballot ballot = new Ballot(WALL + counter, who);
        return answerTo(node(who), new Propose("r", ballot, nanos(leaseMillis), 1), at(millis));
    }

    private List<NodeId> release(Incarnation who, long counter, long millis) {
        List<NodeId> told = new ArrayList<>();
        acceptor.release(node(who), new Release("r", who, WALL + counter), at(millis), (to, message) -> told.add(to));
        return told;
    }

    // A0

    @Test
    void aQuarantinedAcceptorIsSilentUntilTheEndAndNotOneNanosecondLonger() {
        Moment end = at(500).moment();
        Acceptor quarantined = TestAcceptors.acceptor(TIMING, end, at(0));
        assertThat(quarantined.isSilent(new Reading(end.plusNanos(-1), WALL))).isTrue();
        assertThat(quarantined.isSilent(new Reading(end, WALL))).isFalse();
    }

    @Test
    void anAcceptorThatMayHaveForgottenAgainIsSilentForAsLongAgain() {
        acceptor.quarantine(at(10));
        acceptor.quarantine(at(400));
        Moment end = at(400).moment().plusNanos(TIMING.quarantineNanos());
        assertThat(acceptor.isSilent(new Reading(end.plusNanos(-1), WALL))).isTrue();
        assertThat(acceptor.isSilent(new Reading(end, WALL))).isFalse();
    }

    /** The wall clock was set back while it was silent. */
    @Test
    void theFloorAfterAQuarantineIsNotBelowWhatWasPromisedBeforeIt() {
        prepare(P, 100_000, 0);
        acceptor.quarantine(at(10));
        Reading end = new Reading(at(10).moment().plusNanos(TIMING.quarantineNanos()), WALL - 200_000);
        assertThat(acceptor.isSilent(end)).isFalse();
        Ballot promised = new Ballot(WALL + 100_000, Q);
        assertThat(acceptor.prepare(B, new Prepare("r", promised, 1), end)).isInstanceOf(Stale.class);
    }

    @Test
    void whoHasNotAskedAgainASecondAfterTheLeaseCouldEndWaitsNoMore() {
        propose(P, 10, 1_000, 0);
        prepare(Q, 20, 0);
        Moment end = at(0).moment().plusNanos(TIMING.exclusionNanos(nanos(1_000)) + nanos(1_000));
        assertThat(acceptor.notifier().waitingForHint("r", new Reading(end.plusNanos(-1), WALL)))
                .isEqualTo(1);
        assertThat(acceptor.notifier().waitingForHint("r", new Reading(end, WALL)))
                .isZero();
    }

    @Test
    void theFloorAfterTheQuarantineIsTheWallClockOfItsEnd() {
        Acceptor restarted = TestAcceptors.acceptor(TIMING, at(500).moment(), at(0));
        assertThat(restarted.isSilent(at(500))).isFalse();
        Ballot atFloor = new Ballot(at(500).wallMicros(), P);
        assertThat(restarted.prepare(A, new Prepare("r", atFloor, 1), at(500))).isInstanceOf(Stale.class);
        Ballot above = new Ballot(at(500).wallMicros() + 1, P);
        assertThat(restarted.prepare(A, new Prepare("r", above, 2), at(500))).isInstanceOf(Open.class);
    }

    @Test
    void anAcceptorThatMayHaveForgottenIsQuarantinedAnew() {
        acceptor.quarantine(at(10));
        Moment end = at(10).moment().plusNanos(TIMING.quarantineNanos());
        assertThat(acceptor.isSilent(new Reading(end.plusNanos(-1), WALL))).isTrue();
        assertThat(acceptor.isSilent(new Reading(end, WALL))).isFalse();
    }

    // A1

    @Test
    void aLiveLeaseOfAnotherIncarnationIsNotDisturbedByPrepare() {
        propose(P, 10, 100, 0);
        Held held = (Held) prepare(Q, 20, 1);
        assertThat(held.owner()).isEqualTo(new Ballot(WALL + 10, P));
        assertThat(held.ownerNode()).isEqualTo(A);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(100)) - nanos(1));
        assertThat(propose(P, 11, 100, 2)).as("the promise did not move").isInstanceOf(Accepted.class);
    }

    @Test
    void aHigherBallotIsPromisedAndALowerOneIsStale() {
        assertThat(prepare(P, 20, 1)).isInstanceOf(Open.class);
        assertThat(prepare(Q, 10, 1)).isEqualTo(new Stale("r", new Ballot(WALL + 10, Q), 1, WALL + 20));
        assertThat(prepare(Q, 30, 1)).isInstanceOf(Open.class);
    }

    @Test
    void ofEqualCountersTheFirstIncarnationWins() {
        assertThat(prepare(P, 20, 1)).isInstanceOf(Open.class);
        assertThat(prepare(Q, 20, 1)).isInstanceOf(Stale.class);
        assertThat(prepare(P, 20, 1)).as("the same ballot again").isInstanceOf(Open.class);
        assertThat(propose(Q, 20, 100, 1)).isInstanceOf(Stale.class);
    }

    // A2

    @Test
    void acceptingIsAlsoPromising() {
        propose(P, 20, 100, 0);
        long free = 1 + TIMING.exclusionNanos(nanos(100)) / 1_000_000;
        assertThat(prepare(Q, 15, free)).isInstanceOf(Stale.class);
    }

    @Test
    void aLiveLeaseIsNeverReplacedByAnotherIncarnation() {
        propose(P, 10, 100, 0);
        assertThat(propose(Q, 50, 100, 100)).isInstanceOf(Held.class);
        Moment end = at(0).moment().plusNanos(TIMING.exclusionNanos(nanos(100)));
        Propose late = new Propose("r", new Ballot(WALL + 50, Q), nanos(100), 1);
        assertThat(acceptor.propose(B, late, new Reading(end.plusNanos(-1), WALL + 200)))
                .isInstanceOf(Held.class);
        assertThat(acceptor.propose(B, late, new Reading(end, WALL + 200))).isInstanceOf(Accepted.class);
    }

    @Test
    void ofOneIncarnationTheLowerCounterIsRefused() {
        propose(P, 20, 100, 0);
        assertThat(propose(P, 19, 100, 1)).isInstanceOf(Stale.class);
        assertThat(propose(P, 20, 100, 1)).isInstanceOf(Accepted.class);
    }

    @Test
    void aRenewalPassesOverThePromise() {
        prepare(P, 10, 0);
        propose(P, 10, 100, 0);
        long free = 1 + TIMING.exclusionNanos(nanos(100)) / 1_000_000;
        prepare(Q, 100, free);
        assertThat(propose(P, 50, 100, free))
                .as("not live any more: the promise counts")
                .isInstanceOf(Stale.class);
        propose(Q, 100, 100, free);
        assertThat(propose(Q, 101, 100, free + 1)).isInstanceOf(Accepted.class);
    }

    @Test
    void aShorterRenewalDoesNotShortenTheExclusion() {
        propose(P, 10, 1_000, 0);
        propose(P, 11, 10, 1);
        Held held = (Held) prepare(Q, 20, 500);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(500));
    }

    @Test
    void aRefusalChangesNothing() {
        propose(P, 10, 100, 0);
        propose(Q, 500, 100, 1);
        prepare(Q, 600, 1);
        long free = 1 + TIMING.exclusionNanos(nanos(100)) / 1_000_000;
        assertThat(prepare(Q, 11, free)).isInstanceOf(Open.class);
    }

    @Test
    void aLeaseAboveTheMaximumIsRefused() {
        assertThat(propose(P, 10, 1_001, 0))
                .isEqualTo(new Refused("r", new Ballot(WALL + 10, P), 1, Refusal.TOO_LONG, TIMING.maxLeaseNanos()));
        assertThat(propose(P, 10, 0, 0)).isInstanceOf(Refused.class);
        assertThat(propose(P, 10, 1_000, 0)).isInstanceOf(Accepted.class);
    }

    @Test
    void countersTooFarAboveTheWallClockAreRefusedEverywhere() {
        long guard = TIMING.aheadGuardNanos() / 1_000;
        assertThat(prepare(P, guard, 0)).isInstanceOf(Open.class);
        assertThat(prepare(P, guard + 1, 0))
                .isEqualTo(new Refused("r", new Ballot(WALL + guard + 1, P), 1, Refusal.TOO_FAR_AHEAD, WALL + guard));
        assertThat(propose(P, guard + 1, 100, 0)).isInstanceOf(Refused.class);
        assertThat(release(P, guard + 1, 0)).isEmpty();
        assertThat(propose(P, guard, 100, 0))
                .as("the refused release left no fence")
                .isInstanceOf(Accepted.class);
    }

    // A3

    @Test
    void aReleaseDropsTheRecordAndWakesTheWaitersInOrder() {
        propose(P, 10, 100, 0);
        acceptor.prepare(C, new Prepare("r", new Ballot(WALL + 20, Q), 1), at(1));
        prepare(Q, 21, 2);
        assertThat(release(P, 10, 3)).containsExactly(C, B);
        assertThat(prepare(Q, 22, 3)).isInstanceOf(Open.class);
    }

    @Test
    void aReleaseOfAnotherIncarnationOrALowerCounterIsIgnored() {
        propose(P, 10, 100, 0);
        assertThat(release(Q, 10, 1)).isEmpty();
        assertThat(release(P, 9, 1)).isEmpty();
        assertThat(prepare(Q, 20, 1)).isInstanceOf(Held.class);
    }

    @Test
    void aLateProposalOfAReleasedTenureIsRefused() {
        prepare(P, 10, 0);
        release(P, 10, 1);
        assertThat(propose(P, 10, 100, 2)).isInstanceOf(Stale.class);
        assertThat(propose(P, 11, 100, 2)).isInstanceOf(Accepted.class);
    }

    @Test
    void aReleaseFencesAResourceThatWasNeverSeen() {
        release(P, 10, 1);
        assertThat(propose(P, 10, 100, 2)).isInstanceOf(Stale.class);
    }

    @Test
    void whoGetsTheLeaseWaitsNoMore() {
        propose(P, 10, 100, 0);
        prepare(Q, 20, 1);
        release(P, 10, 2);
        propose(Q, 21, 100, 3);
        assertThat(release(Q, 21, 4)).isEmpty();
    }

    // A4

    private boolean extend(Incarnation who, long lowest, long leaseMillis, long millis) {
        Extend request =
                new Extend(who, 1, nanos(leaseMillis), Extend.UNNUMBERED, List.of(new Extension("r", WALL + lowest)));
        Extended answer = (Extended) Objects.requireNonNull(acceptor.extend(node(who), request, at(millis)));
        assertThat(answer.missing()).isSubsetOf(0);
        return answer.missing().isEmpty();
    }

    @Test
    void extendNeedsALiveRecordOfThatIncarnationAndCounter() {
        assertThat(extend(P, 0, 100, 0)).as("creates no record").isFalse();
        propose(P, 10, 100, 0);
        assertThat(extend(Q, 10, 100, 1)).isFalse();
        assertThat(extend(P, 11, 100, 1)).isFalse();
        assertThat(extend(P, 10, 100, 50)).isTrue();
        Held held = (Held) prepare(Q, 20, 51);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(100)) - nanos(1));
        long free = 51 + 1 + TIMING.exclusionNanos(nanos(100)) / 1_000_000;
        assertThat(extend(P, 10, 100, free)).as("expired").isFalse();
    }

    @Test
    void extendNeverShortens() {
        propose(P, 10, 1_000, 0);
        extend(P, 10, 1, 1);
        Held held = (Held) prepare(Q, 20, 2);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(2));
    }

    @Test
    void extendAboveTheMaximumIsIgnored() {
        propose(P, 10, 1_000, 0);
        Extend request = new Extend(P, 1, nanos(1_001), Extend.UNNUMBERED, List.of(new Extension("r", WALL)));
        assertThat(acceptor.extend(A, request, at(1))).isNull();
    }

    // An incarnation is told to others (HELD), so a record is its node's as well

    private static final Ballot FORGED = new Ballot(WALL + 15, P);

    @Test
    void noOtherNodeReleasesALeaseByNamingItsIncarnation() {
        propose(P, 10, 1_000, 0);
        acceptor.release(B, new Release("r", P, WALL + 10), at(1), (to, message) -> {});
        assertThat(((Held) prepare(Q, 20, 2)).owner().incarnation()).isEqualTo(P);
        release(P, 10, 3);
        assertThat(prepare(Q, 20, 4)).isInstanceOf(Open.class);
    }

    @Test
    void noOtherNodeRenewsALeaseByNamingItsIncarnation() {
        propose(P, 10, 100, 0);
        assertThat(acceptor.prepare(B, new Prepare("r", FORGED, 1), at(1))).isInstanceOf(Held.class);
        assertThat(acceptor.propose(B, new Propose("r", FORGED, nanos(1_000), 1), at(2)))
                .isInstanceOf(Held.class);
        List<Extension> extensions = List.of(new Extension("r", WALL + 10));
        Extend extend = new Extend(P, 1, nanos(1_000), Extend.UNNUMBERED, extensions);
        Extended extended = (Extended) Objects.requireNonNull(acceptor.extend(B, extend, at(3)));
        assertThat(extended.missing()).containsExactly(0);
        Held held = (Held) prepare(Q, 20, 4);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(100)) - nanos(4));
        assertThat(held.ownerNode()).isEqualTo(A);
    }

    /** Else its number would stand for leases that are not extended, and their holder would believe that they are. */
    @Test
    void noOtherNodeChangesAListByNamingItsIncarnation() {
        recordOf("r", 10, 0);
        recordOf("s", 10, 0);
        list(7, "r", "s");
        List<Extension> none = List.of(new Extension("t", WALL));
        acceptor.extend(B, new Extend(P, 1, nanos(1_000), 7, none), at(60));
        assertThat(extended(7, List.of(), 900).missing()).isEmpty();
        assertThat(((Held) prepare(Q, 20, 901)).remainingNanos())
                .isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(1));
    }

    /** A release raises what is promised, so the queued proposal will not do any more; but its proposer hears of it. */
    @Test
    void noOtherNodeTakesAProposalOutOfTheQueueInSilenceByNamingItsIncarnation() {
        propose(P, 10, 1_000, 0);
        Propose queued = waiting(Q, 20, 20);
        acceptor.propose(B, queued, at(1));
        acceptor.release(C, new Release("r", Q, WALL + 20), at(2), (to, message) -> {});
        List<Said> said = new ArrayList<>();
        acceptor.tellOvertaken("r", at(2), (to, message) -> said.add(new Said(to, message)));
        assertThat(said).containsExactly(new Said(B, new Stale("r", queued.ballot(), queued.attempt(), WALL + 20)));
    }

    // Section 8: proposals that are kept

    private record Said(NodeId to, Message message) {}

    /** What is answered at once. */
    private PaxosMessage.Reply answerTo(NodeId from, Propose request, Reading now) {
        return Objects.requireNonNull(acceptor.propose(from, request, now));
    }

    private static Propose waiting(Incarnation who, long counter, long since) {
        return new Propose(
                "r", new Ballot(WALL + counter, who), nanos(500), counter, PaxosMessage.QueueMode.QUEUE, WALL + since);
    }

    private List<Said> releaseAndHear(Incarnation who, long counter, long millis) {
        List<Said> said = new ArrayList<>();
        Release release = new Release("r", who, WALL + counter);
        acceptor.release(node(who), release, at(millis), (to, message) -> said.add(new Said(to, message)));
        return said;
    }

    @Test
    void aProposalThatIsKeptIsAcceptedOnReleaseAsIfItCameThen() {
        propose(P, 10, 1_000, 0);
        Propose kept = waiting(Q, 20, 20);
        Held held = (Held) answerTo(B, kept, at(1));
        assertThat(held.queued()).isTrue();
        assertThat(held.promisedCounter()).isEqualTo(WALL + 10);
        assertThat(releaseAndHear(P, 10, 100))
                .containsExactly(new Said(B, new Accepted("r", kept.ballot(), kept.attempt())));
        Held after = (Held) prepare(P, 30, 101);
        assertThat(after.owner()).isEqualTo(kept.ballot());
        assertThat(after.remainingNanos())
                .as("its time starts with the release")
                .isEqualTo(TIMING.exclusionNanos(nanos(500)) - nanos(1));
    }

    @Test
    void theOldestWishIsServedFirstAndTheNextOneWaitsOn() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        acceptor.propose(C, waiting(R, 21, 15), at(2));
        Ballot first = new Ballot(WALL + 21, R);
        assertThat(releaseAndHear(P, 10, 3))
                .as("and others want it")
                .containsExactly(new Said(C, new Accepted("r", first, 21, true)));
        assertThat(releaseAndHear(R, 21, 4)).extracting(Said::to).containsExactly(B);
    }

    @Test
    void whoseCounterIsTooLowAtItsTurnHearsSoAndTheNextOneIsServed() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 11), at(1));
        acceptor.propose(C, waiting(R, 40, 12), at(1));
        propose(P, 30, 1_000, 2); // a renewal
        assertThat(releaseAndHear(P, 30, 3))
                .containsExactly(
                        new Said(B, new Stale("r", new Ballot(WALL + 20, Q), 20, WALL + 30)),
                        new Said(C, new Accepted("r", new Ballot(WALL + 40, R), 40)));
    }

    @Test
    void aProposalWhoseCounterIsTooLowAlreadyIsNotKept() {
        propose(P, 10, 1_000, 0);
        assertThat(((Held) answerTo(B, waiting(Q, 10, 5), at(1))).queued()).isFalse();
        assertThat(releaseAndHear(P, 10, 2)).containsExactly(new Said(B, new PaxosMessage.Released("r", 0)));
    }

    @Test
    void anAbandonedProposalIsNotAccepted() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        assertThat(releaseAndHear(Q, 20, 2)).isEmpty();
        assertThat(releaseAndHear(P, 10, 3)).isEmpty();
        assertThat(prepare(P, 30, 3)).isInstanceOf(Open.class);
    }

    @Test
    void aKeptProposalIsNotAcceptedOnceItsProposerCannotBeReached() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        acceptor.notifier().onUnreachable(B);
        assertThat(releaseAndHear(P, 10, 3)).isEmpty();
        assertThat(prepare(P, 30, 3)).isInstanceOf(Open.class);
    }

    private List<Said> expire(Reading now) {
        List<Said> said = new ArrayList<>();
        acceptor.serveExpired(now, (to, message) -> said.add(new Said(to, message)));
        return said;
    }

    /** The holder has crashed. */
    @Test
    void whenTheRecordExpiresTheOldestQueuedProposalIsAcceptedAndTheNextStaysBehindIt() {
        propose(P, 10, 300, 0);
        Propose younger = waiting(R, 30, 30);
        Propose older = waiting(Q, 20, 20);
        acceptor.propose(C, younger, at(1));
        acceptor.propose(B, older, at(2));
        Moment end = at(0).moment().plusNanos(TIMING.exclusionNanos(nanos(300)));
        assertThat(expire(new Reading(end.plusNanos(-1), WALL))).isEmpty();
        assertThat(acceptor.nextDeadline()).isEqualTo(end);
        Reading over = new Reading(end, WALL + 370_000);
        assertThat(expire(over)).containsExactly(new Said(B, new Accepted("r", older.ballot(), older.attempt(), true)));
        assertThat(expire(over)).isEmpty();
        assertThat(acceptor.notifier().isWanted("r", over)).isTrue();
        assertThat(acceptor.nextDeadline()).isEqualTo(end.plusNanos(TIMING.exclusionNanos(nanos(500))));
    }

    @Test
    void aRecordThatWasRenewedServesNobodyAndIsLookedAtAgainWhenItEnds() {
        propose(P, 10, 300, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        propose(P, 11, 300, 100);
        Moment first = at(0).moment().plusNanos(TIMING.exclusionNanos(nanos(300)));
        assertThat(expire(new Reading(first, WALL))).isEmpty();
        assertThat(acceptor.nextDeadline()).isEqualTo(first.plusNanos(nanos(100)));
    }

    /** It comes after a proposal that is on its way, not after a record: its turn does not come by the passing of time. */
    @Test
    void aProposalThatIsQueuedBehindItsPredecessorIsNotServedAtAnExpiry() {
        acceptor.propose(B, following(Q, 20), at(1));
        assertThat(acceptor.notifier().isWanted("r", at(1))).isTrue();
        assertThat(expire(at(400))).isEmpty();
    }

    @Test
    void anAcceptorThatForgetsServesNobodyAtAnExpiryAndSleepsUntilItsQuarantineIsOver() {
        propose(P, 10, 300, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        acceptor.quarantine(at(2));
        assertThat(acceptor.nextDeadline().nanos()).isGreaterThan(nanos(1_000)); // not when the record ends
        Reading after = new Reading(at(2).moment().plusNanos(TIMING.quarantineNanos()), WALL + 2_000_000);
        assertThat(acceptor.isSilent(after)).isFalse();
        assertThat(expire(after)).isEmpty();
    }

    @Test
    void aKeptProposalIsForgottenWhenItsLeaseTimeIsOver() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        assertThat(releaseAndHear(P, 10, 501)).isEmpty();
    }

    private static Propose following(Incarnation who, long counter) {
        return new Propose(
                "r",
                new Ballot(WALL + counter, who),
                nanos(500),
                counter,
                PaxosMessage.QueueMode.QUEUE,
                WALL + counter,
                WALL + 10);
    }

    /** What C hears of first where the messages of a hand-over from Q to P overtake each other. */
    @Test
    void whoFollowsDoesNotTakeThePlaceOfWhomeverItFollows() {
        assertThat(acceptor.propose(B, following(Q, 20), at(1))).isNull();
        assertThat(acceptor.notifier().isWanted("r", at(1))).isTrue();

        assertThat(((Accepted) propose(P, 10, 1_000, 2)).wanted()).isTrue();
        assertThat(releaseAndHear(P, 10, 3))
                .containsExactly(new Said(B, new Accepted("r", new Ballot(WALL + 20, Q), 20)));
    }

    /** The release overtook the proposal that it releases, or that one never comes. */
    @Test
    void whoFollowsIsServedByTheReleaseOfWhomeverItFollowsAndByNoneBefore() {
        acceptor.propose(B, following(Q, 20), at(1));
        assertThat(releaseAndHear(P, 9, 2)).isEmpty();
        assertThat(releaseAndHear(P, 10, 3))
                .containsExactly(new Said(B, new Accepted("r", new Ballot(WALL + 20, Q), 20)));
    }

    /** A record of an earlier turn is released, and whoever comes next has not been heard of. */
    @Test
    void whoFollowsIsNotServedByTheReleaseOfAnEarlierTurn() {
        propose(R, 5, 1_000, 0);
        acceptor.propose(B, following(Q, 20), at(1));
        assertThat(releaseAndHear(R, 5, 2))
                .doesNotContain(new Said(B, new Accepted("r", new Ballot(WALL + 20, Q), 20)));
        assertThat(propose(P, 10, 1_000, 3)).isInstanceOf(Accepted.class);
        assertThat(releaseAndHear(P, 10, 4)).extracting(Said::to).containsExactly(B);
    }

    @Test
    void whoFollowsSomebodyWhoHasBeenHereIsAcceptedAtOnce() {
        propose(P, 10, 1_000, 0);
        releaseAndHear(P, 10, 1);
        assertThat(answerTo(B, following(Q, 20), at(2))).isInstanceOf(Accepted.class);
    }

    @Test
    void whoFollowsStandsInLineBehindALiveLeaseLikeEverybody() {
        propose(P, 10, 1_000, 0);
        assertThat(((Held) answerTo(B, following(Q, 20), at(1))).queued()).isTrue();
        assertThat(releaseAndHear(P, 10, 2)).extracting(Said::to).containsExactly(B);
    }

    @Test
    void whoFollowsHearsWhatIsWrongWithItsProposal() {
        prepare(P, 30, 0);
        assertThat(acceptor.propose(B, following(Q, 20), at(1))).isInstanceOf(Stale.class);
        assertThat(acceptor.propose(B, following(Q, 3_600_000_000L), at(1))).isInstanceOf(Refused.class);
        Propose tooLong = new Propose(
                "r", new Ballot(WALL + 40, Q), nanos(1_001), 1, PaxosMessage.QueueMode.QUEUE, WALL + 40, WALL + 35);
        assertThat(acceptor.propose(B, tooLong, at(1))).isInstanceOf(Refused.class);
        assertThat(acceptor.notifier().isWanted("r", at(1))).isFalse();
    }

    /** A release that frees nothing for others serves nobody: the lease of another stands. */
    @Test
    void aReleaseOfAnOlderTenureServesNobody() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        assertThat(releaseAndHear(P, 9, 2)).isEmpty();
        assertThat(prepare(R, 30, 3)).isInstanceOf(Held.class);
    }

    @Test
    void aQuarantineForgetsWhoWaited() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        acceptor.quarantine(at(2));
        Reading end = new Reading(at(2).moment().plusNanos(TIMING.quarantineNanos()), WALL + 2_000_000);
        assertThat(acceptor.isSilent(end)).isFalse();
        assertThat(acceptor.notifier().isWanted("r", end)).isFalse();
    }

    @Test
    void whoAskedOnceHearsThatTheLeaseIsInUse() {
        propose(P, 10, 1_000, 0);
        Ballot ballot = new Ballot(WALL + 20, Q);
        acceptor.propose(
                B, new Propose("r", ballot, nanos(500), 7, PaxosMessage.QueueMode.ASK_HOLDER, WALL + 20), at(1));
        List<Said> said = new ArrayList<>();
        acceptor.notifier().tellInUse("r", at(2), (to, message) -> said.add(new Said(to, message)));
        acceptor.notifier().tellInUse("r", at(2), (to, message) -> said.add(new Said(to, message)));
        assertThat(said).containsExactly(new Said(B, new PaxosMessage.InUse("r", ballot, 7)));
    }

    @Test
    void acceptancesAndExtensionsSayWhatOthersWant() {
        propose(P, 10, 1_000, 0);
        acceptor.propose(B, waiting(Q, 20, 20), at(1));
        assertThat(((Accepted) propose(P, 11, 1_000, 2)).wanted()).isTrue();
        assertThat(list(1, "s", "r").wanted()).containsExactly(1);
    }

    // Lists by number

    private Extended list(long number, String... resources) {
        return extended(
                number,
                List.of(resources).stream().map(r -> new Extension(r, WALL)).toList(),
                50);
    }

    private Extended extended(long number, List<Extension> extensions, long millis) {
        return (Extended) Objects.requireNonNull(
                acceptor.extend(A, new Extend(P, 1, nanos(1_000), number, extensions), at(millis)));
    }

    private void recordOf(String resource, long counter, long millis) {
        Ballot ballot = new Ballot(WALL + counter, P);
        assertThat(acceptor.propose(A, new Propose(resource, ballot, nanos(1_000), 1), at(millis)))
                .isInstanceOf(Accepted.class);
    }

    @Test
    void aListThatWasSentCanBeNamedByItsNumber() {
        recordOf("r", 10, 0);
        recordOf("t", 10, 0);
        assertThat(list(7, "r", "s", "t").missing()).containsExactly(1);
        assertThat(extended(7, List.of(), 900).missing()).containsExactly(1);
        Held held = (Held) prepare(Q, 20, 1_000);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(100));
    }

    @Test
    void aNumberThatIsNotKnownIsAnsweredAndExtendsNothing() {
        recordOf("r", 10, 0);
        list(7, "r");
        Extend unknown = new Extend(P, 5, nanos(1_000), 8, List.of());
        assertThat(acceptor.extend(A, unknown, at(900))).isEqualTo(new PaxosMessage.UnknownBatch(P, 5));
        Extend ofAnother = new Extend(Q, 6, nanos(1_000), 7, List.of());
        assertThat(acceptor.extend(B, ofAnother, at(900))).isEqualTo(new PaxosMessage.UnknownBatch(Q, 6));
        Held held = (Held) prepare(Q, 20, 900);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(850));
    }

    @Test
    void aListHasItsLowestCountersAlsoByNumber() {
        recordOf("r", 10, 0);
        List<Extension> higher = List.of(new Extension("r", WALL + 11));
        assertThat(extended(7, higher, 1).missing()).containsExactly(0);
        assertThat(extended(7, List.of(), 2).missing()).containsExactly(0);
        recordOf("r", 11, 3);
        assertThat(extended(7, List.of(), 4).missing()).isEmpty();
    }

    /** The worst case: the place of what was released is given to another lease of the same owner. */
    @Test
    void aPlaceThatIsAnothersByNowIsNotExtended() {
        recordOf("r", 10, 0);
        assertThat(list(7, "r").missing()).isEmpty();
        release(P, 10, 51);
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        // So many that a pass over them takes two steps, and lists are forgotten after the second.
        touchMany(quarantine - 1);
        acceptor.forget(at(quarantine));
        acceptor.forget(at(quarantine + 2));
        touchMany(2 * quarantine);
        acceptor.forget(at(2 * quarantine + 2));
        assertThat(acceptor.size()).as("only r is forgotten").isEqualTo(1_100);
        long now = 2 * quarantine + 3;
        recordOf("another", now * 1_000, now);
        assertThat(extended(7, List.of(), now + 100).missing()).containsExactly(0);
        Held held = (Held)
                acceptor.prepare(B, new Prepare("another", new Ballot(WALL + now * 1_000 + 1, Q), 1), at(now + 100));
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(100));
    }

    private void touchMany(long millis) {
        for (int i = 0; i < 1_100; i++) {
            acceptor.prepare(B, new Prepare("many" + i, new Ballot(WALL + millis * 1_000, Q), 1), at(millis));
        }
    }

    @Test
    void aListThatIsNotUsedIsForgotten() {
        recordOf("r", 10, 0);
        list(7, "r");
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        for (int pass = 1; pass <= 3; pass++) {
            acceptor.forget(at(pass * quarantine));
        }
        assertThat(acceptor.extend(A, new Extend(P, 1, nanos(1_000), 7, List.of()), at(3 * quarantine)))
                .isEqualTo(new PaxosMessage.UnknownBatch(P, 1));
    }

    @Test
    void aListThatIsNotNumberedIsNotRemembered() {
        recordOf("r", 10, 0);
        list(Extend.UNNUMBERED, "r");
        Extended nothing = extended(Extend.UNNUMBERED, List.of(), 60);
        assertThat(nothing.missing()).isEmpty();
        Held held = (Held) prepare(Q, 20, 60);
        assertThat(held.remainingNanos()).isEqualTo(TIMING.exclusionNanos(nanos(1_000)) - nanos(10));
    }

    // A5

    @Test
    void resourcesInDisuseAreForgottenAndTheFloorRemembersTheirPromises() {
        prepare(P, 5_000_000, 5_000);
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        acceptor.forget(at(5_000 + quarantine));
        assertThat(acceptor.size()).as("touched since the last pass").isEqualTo(1);
        acceptor.forget(at(5_000 + 2 * quarantine));
        assertThat(acceptor.size()).isZero();
        assertThat(acceptor.prepare(B, new Prepare("s", new Ballot(WALL + 5_000_000, Q), 1), at(10_000)))
                .isInstanceOf(Stale.class);
    }

    @Test
    void aLiveRecordIsNeverForgotten() {
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        long now = 0;
        for (int i = 1; i < 10; i++) {
            propose(P, now * 1_000 + 1, 1_000, now);
            now += quarantine / 2;
            acceptor.forget(at(now));
            assertThat(prepare(Q, now * 1_000 + 1, now)).isInstanceOf(Held.class);
        }
    }

    @Test
    void forgettingManyResourcesIsSpreadOverSteps() {
        for (int i = 0; i < 5_000; i++) {
            acceptor.prepare(A, new Prepare("r" + i, new Ballot(WALL + 1, P), 1), at(0));
        }
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        for (long now = quarantine; now < 4 * quarantine; now += 2) {
            int before = acceptor.size();
            acceptor.forget(at(now));
            assertThat(before - acceptor.size()).isLessThanOrEqualTo(1_024);
        }
        assertThat(acceptor.size()).isZero();
    }

    @Test
    void recordsAreListedInSteps() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String resource = "r%02d".formatted(i);
            acceptor.propose(A, new Propose(resource, new Ballot(WALL + 1, P), nanos(1_000), 1), at(0));
            acceptor.prepare(A, new Prepare("free" + i, new Ballot(WALL + 1, P), 1), at(0));
            expected.add(resource);
        }
        List<String> found = new ArrayList<>();
        int steps = 0;
        for (int place = 0; place >= 0; steps++) {
            int before = found.size();
            place = acceptor.addLive(place, 7, at(1).moment(), found);
            assertThat(found.size() - before).isLessThanOrEqualTo(7);
        }
        assertThat(found).isEqualTo(expected);
        assertThat(steps).isEqualTo(200 / 7 + 1);
    }

    /** What is forgotten gives its place to the last one, which must be looked at as well. */
    @Test
    void whatIsInUseOutlastsWhatIsForgottenAroundIt() {
        long quarantine = TIMING.quarantineNanos() / 1_000_000 + 1;
        for (int i = 0; i < 3_000; i++) {
            acceptor.prepare(A, new Prepare("r" + i, new Ballot(WALL + 1, P), 1), at(0));
        }
        long now = 0;
        for (int pass = 0; pass < 4; pass++) {
            for (int i = 0; i < 3_000; i += 3) {
                long counter = WALL + (now + 1) * 1_000;
                acceptor.prepare(A, new Prepare("r" + i, new Ballot(counter, P), 1), at(now));
            }
            now += quarantine;
            for (int step = 0; step < 8; step++) {
                acceptor.forget(at(now + step * 2L));
            }
            now += 16;
        }
        assertThat(acceptor.size()).isEqualTo(1_000);
    }
}
