package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.concerns;
import static io.paxoslease.protocol.paxos.PaperCell.isAmong;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 4 of the paper, the proof of the lease invariant: each step of the argument as something that can be watched.
 *
 * <p>Corrected here: the proof compares timers as if all clocks ran at one rate; ours holds for rates that differ by rho. It
 * leans on the prepare round, which ours does not need: the acceptor that both majorities share refuses the second proposer
 * in the propose round, too.
 */
class PaperSection4Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    // The intuition

    @Test
    void theProposersTimerStartsFirstAndEndsFirst() {
        cell.acquire(a, "r", 300, false);
        cell.jump(millis(5));
        cell.deliverAll();
        Moment holdersEnd = cell.last(a, Granted.class).until().moment();
        Held held = (Held) paper.answer(b, X, paper.prepare(X, 100_000));
        Moment acceptorsEnd = cell.now(b).moment().plusNanos(held.remainingNanos());
        assertThat(holdersEnd.nanosUntil(acceptorsEnd)).isGreaterThanOrEqualTo(nanos(5));
    }

    @Test
    void anAcceptorStartsItsTimerBeforeItAnswers() {
        cell.acquire(a, "r", 300, false);
        paper.handOver(cell.hold(m -> m.message() instanceof Propose));
        List<InFlight> answers = cell.hold(m -> m.message() instanceof Accepted);
        assertThat(answers).hasSize(2);
        assertThat(paper.answer(b, X, paper.prepare(X, 100_000))).isInstanceOf(Held.class);
        assertThat(cell.all(a, Granted.class)).isEmpty();
    }

    @Test
    void asLongAsTheProposersTimerRunsAMajorityTurnsOthersAway() {
        cell.acquire(a, "r", 300, false);
        cell.deliver(m -> isAmong(m, a, b));
        long end = cell.last(a, Granted.class).until().moment().nanos();
        cell.jump(Duration.ofNanos(end - cell.nanos() - 1));
        assertThat(paper.holds(a, "r")).isTrue();
        assertThat(paper.answer(a, X, paper.prepare(X, 100_000))).isInstanceOf(Held.class);
        assertThat(paper.answer(b, X, paper.prepare(X, 100_000))).isInstanceOf(Held.class);
        assertThat(paper.answer(c, X, paper.prepare(X, 100_000))).isInstanceOf(Open.class);
    }

    @Test
    void theSlowestHolderIsDoneBeforeTheFastestAcceptor() {
        double rho = cell.timing.drift();
        for (long lease : new long[] {1, 2, 3, 7, 999, 1_000_003, nanos(299) + 1, nanos(1_000)}) {
            double acceptor = cell.timing.exclusionNanos(lease) / (1 + rho);
            assertThat(acceptor).isGreaterThanOrEqualTo(lease / (1 - rho));
        }
    }

    // The statement

    @Test
    void onceAMajorityAcceptedNobodyElseGetsOneUntilTheProposersTimeIsOver() {
        Granted granted = paper.acquired(a, "r", 300, false);
        while (cell.now(a).moment().isBefore(granted.until().moment())) {
            assertThat(paper.holds(a, "r")).isTrue();
            paper.asksOnce(b, "r", 300);
            paper.asksOnce(c, "r", 300);
            cell.pass(millis(5));
            assertThat(cell.all(b, Granted.class)).isEmpty();
            assertThat(cell.all(c, Granted.class)).isEmpty();
        }
    }

    @Test
    void theNextTenureBeginsOnlyWhenTheLastOneIsOver() {
        Granted first = paper.acquired(a, "r", 300, false);
        cell.acquire(b, "r", 300, false);
        while (cell.all(b, Granted.class).isEmpty()) {
            assertThat(cell.nanos()).isLessThan(nanos(1_000));
            cell.pass(millis(1), m -> !concerns(m, a));
        }
        assertThat(first.until().moment().isBefore(cell.now(b).moment())).isTrue();
        assertThat(cell.all(a, Lost.class)).hasSize(1);
    }

    // Part one: a lower ballot

    @Test
    void aLowerBallotThatWasOvertakenMakesNoHolder() {
        paper.preparesAfterADuel(b, 300);
        paper.deliverOneWay();
        paper.deliverOneWay();
        List<InFlight> late = cell.hold(m -> m.message() instanceof Propose);
        assertThat(late).as("b has a majority for its lower ballot").hasSize(2);
        // b's own acceptor has recorded b: a's majority is a and c.
        cell.pass(millis(1));
        cell.acquire(a, "r", 300, false);
        cell.deliver(m -> !concerns(m, b));
        assertThat(paper.holds(a, "r")).isTrue();
        paper.handOver(late);
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).isEmpty();
    }

    @Test
    void anAcceptorThatHasNothingInTheWayOfAHigherBallotHasOutlastedTheLowerOnesLease() {
        paper.answer(c, X, paper.propose(X, 10, 300));
        Moment holdersEnd = cell.now(c).moment().plusNanos(nanos(300));
        while (paper.answer(c, Y, paper.prepare(Y, 20)) instanceof Held) {
            assertThat(cell.nanos()).isLessThan(nanos(1_000));
            cell.jump(millis(1));
        }
        assertThat(holdersEnd.isBefore(cell.now(c).moment())).isTrue();
    }

    // Part two: a higher ballot

    @Test
    void aHigherBallotFindsNoMajorityWithNothingInItsWay() {
        cell.acquire(a, "r", 300, false);
        cell.deliver(m -> isAmong(m, a, b));
        cell.pass(millis(1));
        cell.acquire(c, "r", 300, false);
        List<Message> answers = new ArrayList<>();
        cell.deliver(m -> {
            if (m.to().equals(c)) {
                answers.add(m.message());
            }
            return true;
        });
        assertThat(answers)
                .as("asked twice, the second time to be queued")
                .hasSize(4)
                .allMatch(Held.class::isInstance);
        assertThat(cell.all(c, Granted.class)).isEmpty();
    }

    @Test
    void evenWithoutAPrepareRoundTheSharedAcceptorRefusesTheSecondProposer() {
        cell.acquire(a, "r", 300, false);
        cell.deliver(m -> isAmong(m, a, b));
        assertThat(paper.answer(a, X, paper.propose(X, 100_000, 300))).isInstanceOf(Held.class);
        assertThat(paper.answer(b, X, paper.propose(X, 100_000, 300))).isInstanceOf(Held.class);
        assertThat(paper.answer(c, X, paper.propose(X, 100_000, 300)))
                .as("one acceptor is no majority")
                .isInstanceOf(Accepted.class);
    }
}
