package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.Z;
import static io.paxoslease.protocol.paxos.PaperCell.ballot;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Section 3 of the paper, the basic algorithm: steps 2 and 4, which are the acceptor's. Guests put their requests into b's
 * hands.
 *
 * <p>Corrected here: step 4 never discards another's live lease, for a proposal that was late would take it away from a
 * holder who does not know; its timer runs for T times gamma, since the acceptor's clock may be the faster one; step 2 leaves
 * the promise alone where a lease is in the way, so that duels do not disturb the holder; of two equal counters the first
 * one wins; and what a restart or an idle resource does to the promise is made up for by a floor.
 */
class PaperSection3AcceptorTest {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId b = cell.id(1);
    private final long exclusion = cell.timing.exclusionNanos(nanos(300));

    private Message prepare(NodeId guest, long counter) {
        return paper.answer(b, guest, paper.prepare(guest, counter));
    }

    private Message propose(NodeId guest, long counter) {
        return paper.answer(b, guest, paper.propose(guest, counter, 300));
    }

    private void passNanos(long nanos) {
        cell.jump(Duration.ofNanos(nanos));
    }

    // Step 2

    @Test
    void aPrepareRequestBelowThePromiseIsTurnedDown() {
        prepare(X, 20);
        assertThat(prepare(Y, 19))
                .isEqualTo(new Stale("r", ballot(Y, 19), 1, ballot(X, 20).counter()));
    }

    @Test
    void aPrepareRequestEqualToThePromiseIsAnsweredAgain() {
        assertThat(prepare(X, 20)).isInstanceOf(Open.class);
        assertThat(prepare(X, 20)).isInstanceOf(Open.class);
    }

    @Test
    void ofTwoProposersWithEqualCountersOnlyTheFirstIsPromised() {
        assertThat(prepare(X, 20)).isInstanceOf(Open.class);
        assertThat(prepare(Y, 20)).isInstanceOf(Stale.class);
    }

    @Test
    void aPrepareRequestAboveThePromiseIsAnsweredAndRaisesIt() {
        assertThat(prepare(X, 20)).isInstanceOf(Open.class);
        assertThat(prepare(Y, 30)).isInstanceOf(Open.class);
        assertThat(propose(X, 20))
                .isEqualTo(new Stale("r", ballot(X, 20), 1, ballot(Y, 30).counter()));
    }

    @Test
    void theAnswerSaysWhatWasAcceptedOrThatThereIsNothing() {
        assertThat(prepare(X, 10)).isEqualTo(new Open("r", ballot(X, 10), 1));
        propose(X, 10);
        assertThat(prepare(Y, 20))
                .isEqualTo(new Held(
                        "r",
                        ballot(Y, 20),
                        1,
                        ballot(X, 10),
                        X,
                        exclusion,
                        ballot(X, 10).counter(),
                        false));
    }

    @Test
    void aPrepareRequestThatMeetsALiveLeaseDoesNotRaiseThePromise() {
        propose(X, 10);
        assertThat(prepare(Y, 50)).isInstanceOf(Held.class);
        paper.ask(b, X, paper.release(X, 10));
        assertThat(prepare(Z, 11)).isInstanceOf(Open.class);
    }

    @Test
    void aBallotFarAboveTheAcceptorsWallClockIsNotPromised() {
        long ahead = cell.timing.aheadGuardNanos() / 1_000 + cell.nanos() / 1_000;
        assertThat(prepare(X, ahead + 1)).isInstanceOf(Refused.class);
        assertThat(prepare(X, ahead)).isInstanceOf(Open.class);
    }

    // Step 4

    @Test
    void aProposalBelowThePromiseIsTurnedDown() {
        prepare(X, 20);
        assertThat(propose(Y, 19)).isInstanceOf(Stale.class);
        assertThat(prepare(Z, 30)).as("nothing was recorded").isInstanceOf(Open.class);
    }

    @Test
    void aProposalWithThePromisedBallotIsAccepted() {
        prepare(X, 20);
        assertThat(propose(X, 20)).isEqualTo(new Accepted("r", ballot(X, 20), 1));
        assertThat(prepare(Y, 30)).isInstanceOf(Held.class);
    }

    @Test
    void aProposalAboveThePromiseIsAcceptedThoughItWasNotPrepared() {
        prepare(X, 20);
        assertThat(propose(Y, 21)).isInstanceOf(Accepted.class);
    }

    @Test
    void acceptingIsAlsoPromising() {
        propose(X, 20);
        passNanos(exclusion);
        assertThat(propose(Y, 19)).isInstanceOf(Stale.class);
        assertThat(propose(Y, 21)).isInstanceOf(Accepted.class);
    }

    @Test
    void theAcceptorsTimerRunsForTTimesGamma() {
        assertThat(exclusion).isGreaterThan(nanos(300));
        propose(X, 10);
        passNanos(exclusion - 1);
        assertThat(prepare(Y, 20))
                .isEqualTo(new Held(
                        "r",
                        ballot(Y, 20),
                        1,
                        ballot(X, 10),
                        X,
                        1,
                        ballot(X, 10).counter(),
                        false));
        passNanos(1);
        assertThat(prepare(Y, 20)).isInstanceOf(Open.class);
    }

    @Test
    void theTimerIsStartedAgainByTheNextAcceptance() {
        propose(X, 10);
        cell.jump(millis(100));
        propose(X, 11);
        Held held = (Held) prepare(Y, 20);
        assertThat(held.remainingNanos()).isEqualTo(exclusion);
    }

    @Test
    void aLiveLeaseOfAnotherIsNotDiscardedHoweverHighTheBallot() {
        propose(X, 10);
        assertThat(propose(Y, 100_000)).isInstanceOf(Held.class);
        Held held = (Held) prepare(Z, 20);
        assertThat(held.owner()).isEqualTo(ballot(X, 10));
    }

    @Test
    void whenTheTimerExpiresTheAcceptedProposalIsGone() {
        propose(X, 10);
        passNanos(exclusion - 1);
        assertThat(propose(Y, 20)).isInstanceOf(Held.class);
        passNanos(1);
        assertThat(propose(Y, 20)).isInstanceOf(Accepted.class);
    }

    @Test
    void thePromiseOutlivesTheAcceptedProposal() {
        prepare(X, 20);
        propose(X, 20);
        passNanos(exclusion);
        assertThat(prepare(Y, 19)).isInstanceOf(Stale.class);
    }

    @Test
    void aPromiseThatIsForgottenStaysBehindAsTheFloor() {
        Ballot promised = ((Open) prepare(X, 100_000)).ballot();
        for (int pass = 0; pass < 3; pass++) {
            passNanos(cell.timing.quarantineNanos());
            cell.step(b, new Event.Woken());
        }
        assertThat(paper.answer(
                        b,
                        Y,
                        new Prepare(
                                "never seen",
                                new Ballot(promised.counter(), ballot(Y, 0).incarnation()),
                                1)))
                .isInstanceOf(Stale.class);
    }

    @Test
    void onlyARestartLosesThePromiseAndTheFloorTakesItsPlace() {
        prepare(X, 20);
        cell.restart(b);
        passNanos(cell.timing.quarantineNanos());
        Ballot atFloor = new Ballot(cell.now(b).wallMicros(), ballot(Y, 0).incarnation());
        assertThat(prepare(Y, 21)).as("higher than the promise that was lost").isInstanceOf(Stale.class);
        assertThat(paper.answer(b, Y, new Prepare("r", atFloor, 1))).isInstanceOf(Stale.class);
        Ballot above = new Ballot(atFloor.counter() + 1, atFloor.incarnation());
        assertThat(paper.answer(b, Y, new Prepare("r", above, 1))).isInstanceOf(Open.class);
    }
}
