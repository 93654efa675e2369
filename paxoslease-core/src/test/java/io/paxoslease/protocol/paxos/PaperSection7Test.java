package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.concerns;
import static io.paxoslease.protocol.paxos.PaperCell.incarnation;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 7 of the paper, releasing leases.
 *
 * <p>Corrected here: a release names an incarnation and a counter, and drops that incarnation's record up to that counter.
 * The paper's release, which has to equal the accepted ballot, would leave the records of a renewal in flight behind. A fence
 * keeps a proposal that arrives after its release from making a record that nobody would release. The hint to whoever waits
 * comes from the acceptors, who know them; the releasing proposer does not.
 */
class PaperSection7Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    private void aGivesUp(Granted granted) {
        cell.step(a, new Event.GiveUp("r", granted.token()));
    }

    @Test
    void aLeaseThatIsNotReleasedEndsByItself() {
        paper.acquired(a, "r", 300, false);
        cell.jump(millis(400));
        paper.acquired(b, "r", 300, false);
        assertThat(paper.holds(b, "r")).isTrue();
    }

    @Test
    void aLeaseThatIsReleasedCanBeAcquiredAtOnce() {
        Granted granted = paper.acquired(a, "r", 1_000, false);
        aGivesUp(granted);
        cell.deliverAll();
        cell.pass(millis(1));
        paper.acquired(b, "r", 1_000, false);
        assertThat(paper.holds(b, "r")).isTrue();
    }

    @Test
    void aReleaseGoesToEveryAcceptorAndNamesTheBallotUpToWhichItEndsTheLease() {
        Granted granted = paper.acquired(a, "r", 300, false);
        Incarnation incarnation = cell.node(a).view(cell.now(a)).incarnation();
        aGivesUp(granted);
        assertThat(paper.inFlight(a, Release.class))
                .hasSize(2)
                .containsOnly(new Release("r", incarnation, granted.token()));
    }

    @Test
    void theHolderHasStoppedWhenTheReleaseIsSent() {
        Granted granted = paper.acquired(a, "r", 300, false);
        aGivesUp(granted);
        assertThat(cell.network).as("nothing has arrived yet").isNotEmpty();
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void aRenewalInFlightDoesNotReviveWhatWasReleased() {
        Granted granted = paper.acquired(a, "r", 300, true);
        paper.renewalIsDue(a, 300);
        paper.deliverOneWay();
        assertThat(cell.network).anyMatch(m -> m.message() instanceof PaxosMessage.Extended);
        aGivesUp(granted);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(paper.holds(a, "r")).isFalse();
    }

    @Test
    void anAcceptorDropsTheRecordThatTheReleaseNames() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        paper.ask(b, X, paper.release(X, 10));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 20))).isInstanceOf(Open.class);
    }

    @Test
    void anAcceptorIgnoresAReleaseOfAnotherProposer() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        paper.ask(b, Y, paper.release(Y, 10));
        paper.ask(b, Y, paper.release(Y, 20));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 30))).isInstanceOf(Held.class);
    }

    @Test
    void aReleaseThatIsLateDoesNotEndTheSameProposersNextTenure() {
        paper.answer(b, X, paper.propose(X, 10, 300));
        paper.answer(b, X, paper.propose(X, 20, 300));
        paper.ask(b, X, paper.release(X, 19));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 30))).isInstanceOf(Held.class);
    }

    @Test
    void aReleaseDropsTheRecordOfARenewalInFlightAndTheOneBeforeIt() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.jump(millis(100));
        cell.step(a, new Event.Renew("r", granted.token(), nanos(300), 7));
        List<InFlight> renewal = cell.hold(m -> m.message() instanceof Propose);
        assertThat(renewal).hasSize(2);
        paper.handOver(renewal.stream().filter(m -> m.to().equals(b)).toList());
        aGivesUp(granted);
        cell.deliverAll();
        assertThat(paper.answer(b, X, paper.prepare(X, 200_000))).as("renewed").isInstanceOf(Open.class);
        assertThat(paper.answer(c, X, paper.prepare(X, 200_000)))
                .as("not renewed")
                .isInstanceOf(Open.class);
    }

    @Test
    void whatWasReleasedDuringARenewalCanBeAcquiredAgainAtOnce() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.jump(millis(100));
        cell.step(a, new Event.Renew("r", granted.token(), nanos(300), 7));
        cell.network.clear();
        aGivesUp(granted);
        assertThat(paper.acquired(a, "r", 300, false).token()).isGreaterThan(granted.token());
    }

    @Test
    void aProposalThatArrivesAfterItsReleaseLeavesNoRecord() {
        paper.answer(b, X, paper.prepare(X, 10));
        paper.ask(b, X, paper.release(X, 10));
        assertThat(paper.answer(b, X, paper.propose(X, 10, 300))).isInstanceOf(Stale.class);
        assertThat(paper.answer(b, X, paper.propose(X, 11, 300)))
                .as("a later tenure")
                .isInstanceOf(Accepted.class);
    }

    @Test
    void aReleaseThatIsLostCostsNothingButTime() {
        Granted granted = paper.acquired(a, "r", 300, false);
        aGivesUp(granted);
        cell.network.clear();
        paper.asksOnce(b, "r", 300);
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.jump(millis(400));
        paper.acquired(b, "r", 300, false);
        assertThat(paper.holds(b, "r")).isTrue();
    }

    @Test
    void aReleaseThatWasLostIsRepeatedToWhoeverCanBeReachedAgain() {
        Granted granted = paper.acquired(a, "r", 300, false);
        aGivesUp(granted);
        cell.network.clear();
        cell.step(a, new Event.Reachable(b));
        Release release = new Release("r", cell.node(a).view(cell.now(a)).incarnation(), granted.token());
        assertThat(cell.network).containsExactly(new InFlight(a, b, release));
    }

    @Test
    void whoeverWaitsInLineIsAcceptedAsSoonAsTheLeaseIsFree() {
        Granted granted = paper.acquired(a, "r", 1_000, true);
        cell.acquire(b, "r", 1_000, true);
        cell.deliverAll();
        aGivesUp(granted);
        paper.deliverOneWay();
        assertThat(cell.network)
                .anyMatch(m -> m.from().equals(c) && m.to().equals(b) && m.message() instanceof Accepted);
        cell.deliverAll();
        assertThat(paper.holds(b, "r")).isTrue();
    }

    @Test
    void whoeverOnlyAskedIsToldByTheAcceptorThatTheLeaseIsFree() {
        paper.answer(c, X, paper.propose(X, 10, 300));
        paper.answer(c, Y, paper.prepare(Y, 20));
        cell.network.clear();
        cell.step(c, new Event.Received(X, paper.release(X, 10)));
        assertThat(cell.network).containsExactly(new InFlight(c, Y, new Released("r", 0)));
    }

    @Test
    void theHintIsOnlyAHint() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.acquire(b, "r", 300, true);
        cell.deliverAll();
        aGivesUp(granted);
        cell.pass(millis(500), m -> !(m.message() instanceof Released) && !concerns(m, a));
        assertThat(cell.all(b, Granted.class))
                .as("b asked without having been told")
                .hasSize(1);
    }

    @Test
    void aReleaseFromLongAheadIsIgnored() {
        long ahead = cell.timing.aheadGuardNanos() / 1_000 + cell.nanos() / 1_000 + 1;
        paper.answer(b, X, paper.propose(X, 10, 300));
        paper.ask(b, X, new Release("r", incarnation(X), ProtocolTestCell.WALL + ahead));
        assertThat(paper.answer(b, Y, paper.prepare(Y, 20))).isInstanceOf(Held.class);
        cell.jump(millis(1_000));
        PaxosMessage.Propose next = new Propose("r", PaperCell.ballot(Y, ahead), nanos(300), 1);
        assertThat(paper.answer(b, Y, next)).as("and leaves no fence").isInstanceOf(Accepted.class);
    }
}
