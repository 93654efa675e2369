package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.ballot;
import static io.paxoslease.protocol.paxos.PaperCell.isAmong;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import org.junit.jupiter.api.Test;

/**
 * Section 2 of the paper, Definitions: who takes part, what they say and remember, and what a ballot is.
 *
 * <p>Corrected here: a proposer is named by its incarnation, not by its node, and a restart draws a new one instead of
 * counting restarts on disk, for a restarted proposer would otherwise pass for the holder that it was; an acceptor, too,
 * refuses more than the longest lease, and exactly the longest is allowed, since everything that waits it out is longer.
 */
class PaperSection2Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    // Who takes part

    @Test
    void thereMayBeMoreProposersThanAcceptors() {
        long token = 0;
        for (String name : new String[] {"p", "q", "s", "t", "u"}) {
            PaperCell.Guest guest = paper.new Guest(name);
            guest.acquire("r", 300);
            assertThat(guest.granted().token()).isGreaterThan(token);
            token = guest.granted().token();
            guest.giveUp("r");
            cell.pass(millis(1));
        }
    }

    @Test
    void aNodeThatIsProposerAndAcceptorIsOneOfItsOwnMajority() {
        cell.acquire(a, "r", 300, false);
        assertThat(cell.network).as("nothing is sent to itself").noneMatch(m -> m.to().equals(a));
        cell.deliver(m -> isAmong(m, a, b));
        assertThat(paper.holds(a, "r")).isTrue();
    }

    // What they say

    @Test
    void aPrepareRequestCarriesTheBallot() {
        paper.preparesAfterADuel(a, 300);
        Ballot expected = new Ballot(
                cell.now(a).wallMicros(), cell.node(a).view(cell.now(a)).incarnation());
        assertThat(paper.inFlight(a, Prepare.class)).hasSize(2).allMatch(m -> m.ballot()
                .equals(expected));
    }

    @Test
    void aPrepareAnswerCarriesTheBallotAndTheLeaseThatWasAcceptedBefore() {
        assertThat(paper.answer(b, X, paper.prepare(X, 10))).isEqualTo(new Open("r", ballot(X, 10), 1));
        paper.answer(b, X, paper.propose(X, 10, 300));
        long remaining = cell.timing.exclusionNanos(nanos(300));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 20)))
                .isEqualTo(new Held(
                        "r",
                        ballot(Y, 20),
                        1,
                        ballot(X, 10),
                        X,
                        remaining,
                        ballot(X, 10).counter(),
                        false));
    }

    @Test
    void aProposeRequestCarriesTheBallotAndTheLease() {
        Ballot prepared = paper.preparesAfterADuel(a, 300).ballot();
        paper.deliverOneWay();
        paper.deliverOneWay();
        assertThat(paper.inFlight(a, Propose.class))
                .hasSize(2)
                .allMatch(m -> m.ballot().equals(prepared) && m.leaseNanos() == nanos(300));
    }

    @Test
    void aProposeAnswerCarriesTheBallotAndTheVerdict() {
        assertThat(paper.answer(b, X, paper.propose(X, 10, 300))).isEqualTo(new Accepted("r", ballot(X, 10), 1));
        assertThat(paper.answer(b, X, paper.propose(X, 9, 300)))
                .isEqualTo(new Stale("r", ballot(X, 9), 1, ballot(X, 10).counter()));
    }

    @Test
    void aLeaseBelongsToAnIncarnationAndNotToTheNodeThatAskedForIt() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        Ballot afterRestart = new Ballot(ballot(X, 20).counter(), new Incarnation(1, 1));
        assertThat(paper.answer(b, X, new Propose("r", afterRestart, nanos(300), 1)))
                .as("the same node, restarted")
                .isInstanceOf(Held.class);
    }

    // What an acceptor remembers

    @Test
    void anAcceptorRemembersTheHighestBallotThatItPromisedAndHeedsNoneBelow() {
        paper.answer(b, X, paper.prepare(X, 20));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 19))).isInstanceOf(Stale.class);
        assertThat(paper.answer(b, Y, paper.propose(Y, 19, 300))).isInstanceOf(Stale.class);
    }

    @Test
    void anAcceptorRemembersTheLastProposalThatItAccepted() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        paper.answer(b, X, paper.propose(X, 11, 300));
        Held held = (Held) paper.answer(b, Y, paper.prepare(Y, 20));
        assertThat(held.owner()).isEqualTo(ballot(X, 11));
    }

    // The longest lease

    @Test
    void aProposerDoesNotAskForMoreThanTheLongestLease() {
        cell.acquire(a, "r", 1_001, false);
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.REFUSED);
        assertThat(cell.network).isEmpty();
    }

    @Test
    void anAcceptorDoesNotTakeAProposersWordForTheLongestLease() {
        assertThat(paper.answer(b, X, paper.propose(X, 10, 1_001)))
                .isEqualTo(new Refused("r", ballot(X, 10), 1, Refusal.TOO_LONG, nanos(1_000)));
    }

    @Test
    void exactlyTheLongestLeaseIsGranted() {
        paper.acquired(a, "r", 1_000, false);
        assertThat(paper.holds(a, "r")).isTrue();
    }

    // Ballots

    @Test
    void ballotsOfOneProposerGrowEvenWhileItsClockStandsStill() {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Granted granted = paper.acquired(a, "r", 300, false);
            assertThat(granted.token()).isGreaterThan(last);
            last = granted.token();
            cell.step(a, new Event.GiveUp("r", last));
            cell.deliverAll();
        }
    }

    @Test
    void ballotsOfTwoProposersAreNeverTheSame() {
        cell.acquire(a, "r", 300, false);
        cell.acquire(b, "r", 300, false);
        Ballot ofA = paper.inFlight(a, Propose.class).get(0).ballot();
        Ballot ofB = paper.inFlight(b, Propose.class).get(0).ballot();
        assertThat(ofA.counter()).as("drawn at the same instant").isEqualTo(ofB.counter());
        assertThat(ofA).isNotEqualTo(ofB);
    }

    @Test
    void aRestartedProposerIsAnotherWithoutHavingCountedItsRestarts() {
        paper.acquired(a, "r", 300, true);
        cell.restart(a);
        paper.asksOnce(a, "r", 300);
        cell.pass(millis(25));
        assertThat(cell.last(a, Denied.class).holder())
                .as("its own former self is in its way")
                .isEqualTo(a);
    }

    // The lease invariant

    @Test
    void atNoInstantDoTwoProposersHoldTheLease() {
        cell.ids.forEach(id -> cell.acquire(id, "r", 50, false));
        for (int i = 0; i < 1_000; i++) {
            cell.pass(millis(1));
            assertThat(cell.ids.stream().filter(id -> paper.holds(id, "r")).count())
                    .isLessThanOrEqualTo(1);
        }
        for (NodeId id : new NodeId[] {a, b, c}) {
            assertThat(cell.all(id, Granted.class)).hasSize(1);
        }
    }
}
