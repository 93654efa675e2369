package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 3 of the paper, the basic algorithm: steps 1, 3 and 5, which are the proposer's.
 *
 * <p>Corrected here: the timer of step 3 starts before the prepare requests are sent, for otherwise promises given long ago
 * would still lead to a proposal, when they mean nothing any more; quorums count distinct acceptors, and each phase only its
 * own answers; the end is a stored deadline, since a timer's callback may run after answers that queued up in a pause; an
 * attempt that failed in step 5 releases what it may have left behind, so that a minority of records blocks nobody.
 */
class PaperSection3ProposerTest {

    private final PaperCell paper = new PaperCell(5);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId d = cell.id(3);

    /** a asks for a lease of 300 ms in two rounds; nothing has arrived anywhere, and nothing is on its way. */
    private Prepare aPrepares() {
        Prepare prepare = paper.preparesAfterADuel(a, 300);
        cell.network.clear();
        return prepare;
    }

    /** a and two others have said that nothing is in the way, and a's own acceptor has accepted. */
    private Propose aProposes() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt()));
        Propose propose = paper.inFlight(a, Propose.class).get(0);
        cell.network.clear();
        return propose;
    }

    private void aHears(NodeId from, Message message) {
        cell.step(a, new Event.Received(from, message));
    }

    private void aHearsAccepted(NodeId from, Propose propose) {
        aHears(from, new Accepted("r", propose.ballot(), propose.attempt()));
    }

    @Test
    void aLeaseThatNobodyDisputesTakesOneRoundTrip() {
        cell.acquire(a, "r", 300, false);
        for (int oneWay = 0; oneWay < 2; oneWay++) {
            assertThat(cell.all(a, Granted.class)).isEmpty();
            paper.deliverOneWay();
        }
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    @Test
    void afterADuelALeaseTakesTwoRoundTrips() {
        paper.preparesAfterADuel(a, 300);
        for (int oneWay = 0; oneWay < 4; oneWay++) {
            assertThat(cell.all(a, Granted.class)).isEmpty();
            paper.deliverOneWay();
        }
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    // Step 1

    @Test
    void whoWantsALeaseDrawsABallotAndSendsPrepareRequestsToTheAcceptors() {
        paper.preparesAfterADuel(a, 300);
        assertThat(cell.network).extracting(InFlight::to).containsExactlyElementsOf(cell.ids.subList(1, 5));
        assertThat(cell.network).extracting(InFlight::message).hasOnlyElementsOfType(Prepare.class);
        assertThat(paper.inFlight(a, Prepare.class))
                .extracting(Prepare::ballot)
                .containsOnly(new Ballot(
                        cell.now(a).wallMicros(), cell.node(a).view(cell.now(a)).incarnation()));
    }

    // Step 3

    @Test
    void anAnswerToAnotherBallotIsIgnored() {
        Prepare prepare = aPrepares();
        Ballot other =
                new Ballot(prepare.ballot().counter() - 1, prepare.ballot().incarnation());
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(c, new Open("r", other, prepare.attempt()));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void anAnswerToAnotherAttemptIsIgnoredWhateverItsBallot() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt() + 1));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void aMajorityThatHasNothingInTheWayLetsTheProposerPropose() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(cell.network).as("two of five").isEmpty();
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(paper.inFlight(a, Propose.class)).as("three of five").hasSize(4);
    }

    @Test
    void anAnswerThatNamesALiveLeaseIsNotAmongTheOpenOnes() {
        Prepare prepare = aPrepares();
        aHears(
                b,
                new Held(
                        "r",
                        prepare.ballot(),
                        prepare.attempt(),
                        PaperCell.ballot(PaperCell.X, 1),
                        PaperCell.X,
                        9,
                        0,
                        false));
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(cell.network).isEmpty();
        aHears(d, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(paper.inFlight(a, Propose.class)).hasSize(4);
    }

    @Test
    void anOpenAnswerThatArrivesTwiceCountsOnce() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void anAnswerOfSomebodyWhoIsNoAcceptorIsIgnored() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(PaperCell.X, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(cell.network).isEmpty();
    }

    @Test
    void theProposalNamesTheProposerItselfAndItsTime() {
        Propose propose = aProposes();
        assertThat(propose.ballot().incarnation())
                .isEqualTo(cell.node(a).view(cell.now(a)).incarnation());
        assertThat(propose.leaseNanos()).isEqualTo(nanos(300));
    }

    @Test
    void theTimerRunsFromBeforeThePrepareRequestsAndNotFromTheirQuorum() {
        Prepare prepare = aPrepares();
        Moment asked = cell.now(a).moment();
        cell.jump(millis(20));
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt()));
        Propose propose = paper.inFlight(a, Propose.class).get(0);
        aHearsAccepted(b, propose);
        aHearsAccepted(c, propose);
        assertThat(cell.last(a, Granted.class).until().moment()).isEqualTo(asked.plusNanos(nanos(300)));
    }

    @Test
    void promisesGivenLongAgoLeadToNoProposal() {
        Prepare prepare = aPrepares();
        aHears(b, new Open("r", prepare.ballot(), prepare.attempt()));
        cell.jump(millis(300));
        aHears(c, new Open("r", prepare.ballot(), prepare.attempt()));
        assertThat(paper.inFlight(a, Propose.class)).isEmpty();
    }

    @Test
    void whenTheTimerExpiresTheProposerIsNoLongerTheHolder() {
        paper.acquired(a, "r", 300, false);
        cell.pass(millis(299));
        assertThat(paper.holds(a, "r")).isTrue();
        cell.pass(millis(1));
        assertThat(paper.holds(a, "r")).isFalse();
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void whenTheTimerExpiresTheBallotIsDead() {
        Propose propose = aProposes();
        cell.pass(millis(300), m -> false);
        aHearsAccepted(b, propose);
        aHearsAccepted(c, propose);
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void anAnswerThatRunsBeforeTheTimerAfterAPauseFindsTheTimeOver() {
        paper.acquired(a, "r", 300, true);
        paper.renewalIsDue(a, 300);
        List<InFlight> renewal = cell.hold(m -> m.message() instanceof PaxosMessage.Extend);
        cell.jump(millis(200));
        paper.handOver(renewal);
        assertThat(cell.network).anyMatch(m -> m.message() instanceof PaxosMessage.Extended);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(cell.all(a, Lost.class)).hasSize(1);
    }

    // Step 5

    @Test
    void anAcceptanceOfAnotherBallotIsIgnored() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        Ballot other =
                new Ballot(propose.ballot().counter() - 1, propose.ballot().incarnation());
        aHears(c, new Accepted("r", other, propose.attempt()));
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void aMajorityThatAcceptedMakesTheProposerTheHolderUntilItsOwnTimerExpires() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        assertThat(paper.holds(a, "r")).as("two of five").isFalse();
        aHearsAccepted(c, propose);
        assertThat(paper.holds(a, "r")).as("three of five").isTrue();
        cell.jump(millis(300));
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void anAcceptanceThatArrivesTwiceCountsOnce() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        aHearsAccepted(b, propose);
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void aLateOpenAnswerIsNoAcceptance() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        aHears(d, new Open("r", propose.ballot(), propose.attempt()));
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void theTenureBeginsWithTheAcceptanceThatCompletesTheMajority() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        cell.jump(millis(10));
        assertThat(cell.all(a, Granted.class)).isEmpty();
        aHearsAccepted(c, propose);
        Granted granted = cell.last(a, Granted.class);
        cell.jump(millis(10));
        aHearsAccepted(d, propose);
        assertThat(cell.effects(a)).as("further acceptances change nothing").containsExactly(granted);
    }

    @Test
    void aMajorityThatIsCompleteOnlyWhenTheTimeIsOverMakesNoHolder() {
        Propose propose = aProposes();
        aHearsAccepted(b, propose);
        cell.jump(millis(300));
        aHearsAccepted(c, propose);
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    // When steps 3 and 5 fail

    private record Asked(long nanos, Ballot ballot) {}

    /** Time passes; all answers to a get lost; answers when b was first asked with which ballot. */
    private List<Asked> requestsWhileAnswersGetLost() {
        List<Asked> asked = new ArrayList<>();
        cell.pass(millis(200), m -> {
            if (m.to().equals(b) && m.message() instanceof Prepare prepare) {
                asked.add(new Asked(cell.nanos(), prepare.ballot()));
            } else if (m.to().equals(b) && m.message() instanceof Propose propose) {
                asked.add(new Asked(cell.nanos(), propose.ballot()));
            }
            return !m.to().equals(a);
        });
        return asked;
    }

    private static void isRepeatedAfterAWhileWithAHigherBallot(List<Asked> asked) {
        assertThat(asked).hasSizeGreaterThanOrEqualTo(3);
        for (int i = 1; i < asked.size(); i++) {
            assertThat(asked.get(i).ballot().counter())
                    .isGreaterThan(asked.get(i - 1).ballot().counter());
            assertThat(asked.get(i).nanos() - asked.get(i - 1).nanos()).isGreaterThan(nanos(37));
        }
    }

    @Test
    void withoutAMajorityInStepThreeItWaitsAndBeginsAgainWithAHigherBallot() {
        paper.preparesAfterADuel(a, 300);
        isRepeatedAfterAWhileWithAHigherBallot(requestsWhileAnswersGetLost());
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void withoutAMajorityInStepFiveItWaitsAndBeginsAgainWithAHigherBallot() {
        cell.acquire(a, "r", 300, false);
        isRepeatedAfterAWhileWithAHigherBallot(requestsWhileAnswersGetLost());
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void anAttemptThatFailedInStepFiveReleasesWhatItMayHaveLeft() {
        Propose propose = aProposes();
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        Release release = new Release(
                "r", propose.ballot().incarnation(), propose.ballot().counter());
        assertThat(paper.inFlight(a, Release.class)).hasSize(4).containsOnly(release);
    }

    @Test
    void anAttemptThatFailedInStepThreeHasLeftNothingToRelease() {
        aPrepares();
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        assertThat(paper.inFlight(a, Release.class)).isEmpty();
    }
}
