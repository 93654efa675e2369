package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.concerns;
import static io.paxoslease.protocol.paxos.PaperCell.isAmong;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Section 3 of the paper, what follows the five steps: restarts without a disk, durations instead of points in time, and who
 * knows of a lease.
 *
 * <p>Corrected here: a restarted node waits for M times gamma and not only for M, since its clock may be the fastest and the
 * holder's the slowest; and the wait binds its own proposer's requests, too.
 */
class PaperSection3RestartTest {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final long quarantine = cell.timing.quarantineNanos();

    // Restarts

    @Test
    void anAcceptorKeepsNothingOverARestart() {
        paper.acquired(a, "r", 300, false);
        assertThat(cell.node(b).view("r", cell.now(b))).isNotNull();
        cell.restart(b);
        assertThat(cell.node(b).view("r", cell.now(b))).isNull();
    }

    @Test
    void aRestartedNodeIsSilentForMTimesGammaAndNotOnlyForM() {
        long counter = 5_000_000;
        cell.wallOffsetMicros.put(b, 5_000_000L);
        cell.restart(b);
        cell.jump(millis(1_000));
        assertThat(paper.ask(b, X, paper.prepare(X, counter))).as("M").isEmpty();
        cell.jump(Duration.ofNanos(quarantine - nanos(1_000) - 1));
        assertThat(paper.ask(b, X, paper.prepare(X, counter)))
                .as("one nanosecond before")
                .isEmpty();
        cell.jump(Duration.ofNanos(1));
        assertThat(paper.ask(b, X, paper.prepare(X, counter + 2_000_000))).hasSize(1);
    }

    @Test
    void evenTheFastestClockWaitsOutTheSlowestHolder() {
        double fastest = quarantine / (1 + cell.timing.drift());
        double slowest = cell.timing.maxLeaseNanos() / (1 - cell.timing.drift());
        assertThat(fastest).isGreaterThanOrEqualTo(slowest);
        assertThat(cell.timing.maxLeaseNanos() / (1 + cell.timing.drift()))
                .as("M by the fastest clock")
                .isLessThan(slowest);
    }

    @Test
    void theWaitBindsTheNodesOwnProposerToo() {
        cell.restart(b);
        cell.acquire(b, "r", 300, false);
        cell.pass(Duration.ofNanos(quarantine - 1), m -> isAmong(m, b, c));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(600), m -> isAmong(m, b, c));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void aRestartMakesNoSecondHolder() {
        cell.acquire(a, "r", 1_000, false);
        cell.deliver(m -> isAmong(m, a, b));
        assertThat(paper.holds(a, "r")).isTrue();
        cell.restart(b);
        cell.acquire(c, "r", 1_000, false);
        for (int i = 0; i < 3_000; i++) {
            cell.pass(millis(1), m -> isAmong(m, b, c));
            assertThat(paper.holds(a, "r") && paper.holds(c, "r")).isFalse();
        }
        assertThat(cell.all(c, Granted.class)).hasSize(1);
    }

    @Test
    void aHolderThatRestartsHoldsNothing() {
        paper.acquired(a, "r", 1_000, true);
        cell.restart(a);
        cell.pass(millis(10));
        assertThat(paper.holds(a, "r")).isFalse();
        paper.asksOnce(a, "r", 1_000);
        cell.pass(millis(25));
        assertThat(cell.last(a, Denied.class).reason()).isEqualTo(Denial.HELD);
    }

    // Durations

    @Test
    void anAcceptorsAnswersDoNotDependOnWhereItsClockBegan() {
        List<Object> expected = conversationFrom(0);
        for (long origin : new long[] {Long.MAX_VALUE - 50_000_000, Long.MIN_VALUE, -1, 987_654_321_987L}) {
            assertThat(conversationFrom(origin)).isEqualTo(expected);
        }
    }

    private List<Object> conversationFrom(long origin) {
        Reading start = new Reading(new Moment(origin), ProtocolTestCell.WALL);
        Acceptor acceptor = TestAcceptors.acceptor(cell.timing, null, start);
        List<Object> answers = new ArrayList<>();
        for (long millis = 0; millis < 400; millis += 100) {
            Reading now = start.plusNanos(nanos(millis));
            answers.add(acceptor.propose(X, paper.propose(X, 1 + millis / 200, 100), now));
            answers.add(acceptor.prepare(Y, paper.prepare(Y, 10 + millis), now.plusNanos(nanos(50))));
        }
        return answers;
    }

    // Who knows

    @Test
    void onlyTheHolderIsToldThatItHoldsTheLease() {
        paper.acquired(a, "r", 300, false);
        assertThat(paper.holds(a, "r")).isTrue();
        for (NodeId other : List.of(b, c)) {
            assertThat(cell.effects(other)).isEmpty();
            assertThat(paper.holds(other, "r")).isFalse();
        }
    }

    @Test
    void toEverybodyElseWhoHoldsItIsAGuess() {
        Granted granted = paper.acquired(a, "r", 300, false);
        cell.step(a, new Event.GiveUp("r", granted.token()));
        LeaseView guess = Objects.requireNonNull(cell.node(b).view("r", cell.now(b)));
        assertThat(guess.state()).isEqualTo(LeaseView.State.KNOWN);
        assertThat(guess.owner()).as("b has not heard of the release").isEqualTo(a);
    }

    @Test
    void whatOneNodeTellsAnotherOfALeaseIsAHintAndCannotMakeAHolder() {
        paper.acquired(a, "r", 300, true);
        cell.acquire(b, "r", 300, false);
        cell.deliverAll();
        for (NodeId liar : List.of(a, c)) {
            cell.step(b, new Event.Received(liar, new Released("r", 0)));
        }
        cell.pass(millis(200));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(millis(500), m -> !concerns(m, a));
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    @Test
    void anOpenAnswerIsNoPromiseOfTheLease() {
        assertThat(paper.answer(b, X, paper.prepare(X, 10))).isInstanceOf(Open.class);
        paper.acquired(a, "r", 300, false);
        assertThat(paper.holds(a, "r")).isTrue();
    }
}
