package io.paxoslease.protocol.paxos;

import static io.paxoslease.protocol.paxos.PaperCell.X;
import static io.paxoslease.protocol.paxos.PaperCell.Y;
import static io.paxoslease.protocol.paxos.PaperCell.millis;
import static io.paxoslease.protocol.paxos.PaperCell.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Section 5 of the paper, liveness.
 *
 * <p>Corrected here: the paper undoes a split vote by overwriting what acceptors accepted, trusting that a majority is never
 * overwritten. Overwriting is unsafe, so an attempt that failed releases its records instead; a promise, which protects
 * nobody, may still be taken over.
 */
class PaperSection5Test {

    private final PaperCell paper = new PaperCell(3);
    private final ProtocolTestCell cell = paper.cell;
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);

    // Dynamic deadlock

    @Test
    void proposersThatKeepOutbiddingEachOtherKeepEachOtherFromProposing() {
        for (int counter = 10; counter < 100; counter += 2) {
            assertThat(paper.answer(c, X, paper.prepare(X, counter))).isInstanceOf(Open.class);
            assertThat(paper.answer(c, Y, paper.prepare(Y, counter + 1))).isInstanceOf(Open.class);
            assertThat(paper.answer(c, X, paper.propose(X, counter, 300))).isInstanceOf(Stale.class);
        }
    }

    @Test
    void whoWasOutbidWaitsBeforeItAsksAgain() {
        cell.acquire(a, "r", 300, false);
        outbid(a);
        assertThat(cell.network).as("nothing is asked at once").isEmpty();
        Moment retry = Objects.requireNonNull(cell.node(a).nextDeadline());
        assertThat(cell.now(a).moment().isBefore(retry)).isTrue();
        cell.jump(Duration.ofNanos(cell.now(a).moment().nanosUntil(retry)));
        cell.step(a, new Event.Woken());
        assertThat(paper.inFlight(a, Prepare.class)).hasSize(2);
    }

    @Test
    void theWaitIsRandomAndBounded() {
        Set<Long> waits = new HashSet<>();
        for (NodeId id : cell.ids) {
            cell.acquire(id, "r", 300, false);
            outbid(id);
            long wait = cell.now(id)
                    .moment()
                    .nanosUntil(Objects.requireNonNull(cell.node(id).nextDeadline()));
            assertThat(wait).isBetween(1L, nanos(40));
            waits.add(wait);
        }
        assertThat(waits).hasSize(3);
    }

    /** Both others tell the node that a higher ballot came first. */
    private void outbid(NodeId id) {
        Propose propose = paper.inFlight(id, Propose.class).get(0);
        cell.network.clear();
        for (NodeId other : cell.ids) {
            if (!other.equals(id)) {
                Stale stale = new Stale(
                        "r",
                        propose.ballot(),
                        propose.attempt(),
                        propose.ballot().counter() + 1);
                cell.step(id, new Event.Received(other, stale));
            }
        }
    }

    @Test
    void proposersThatStartTogetherAreAllServedInTheEnd() {
        cell.ids.forEach(id -> cell.acquire(id, "r", 300, false));
        cell.pass(millis(200));
        assertThat(cell.ids.stream().filter(id -> paper.holds(id, "r")))
                .as("the duel is over long before a lease time is")
                .hasSize(1);
        cell.pass(millis(1_000));
        cell.ids.forEach(id -> assertThat(cell.all(id, Granted.class)).hasSize(1));
    }

    // Static deadlock

    @Test
    void whatAnAcceptorPromisedCanBeTakenOver() {
        assertThat(paper.answer(c, X, paper.prepare(X, 10))).isInstanceOf(Open.class);
        assertThat(paper.answer(c, Y, paper.prepare(Y, 11))).isInstanceOf(Open.class);
        assertThat(paper.answer(c, Y, paper.propose(Y, 11, 300))).isInstanceOf(Accepted.class);
    }

    @Test
    void recordsOfAnAttemptThatFailedBlockNobodyForLong() {
        paper.asksOnce(a, "r", 300);
        cell.pass(millis(36), m -> !(m.message() instanceof Accepted));
        assertThat(paper.answer(b, c, paper.prepare(c, 100_000))).isInstanceOf(Held.class);
        cell.pass(millis(4), m -> !(m.message() instanceof Accepted));
        assertThat(cell.all(a, Denied.class)).hasSize(1);
        cell.acquire(b, "r", 300, false);
        cell.pass(millis(20));
        assertThat(paper.holds(b, "r")).as("well before a record expires").isTrue();
    }

    @Test
    void aMajorityIsNeverOverwritten() {
        Granted granted = paper.acquired(a, "r", 300, true);
        cell.acquire(b, "r", 300, true);
        cell.acquire(c, "r", 300, true);
        cell.pass(millis(3_000));
        assertThat(paper.holds(a, "r")).isTrue();
        LeaseView view = Objects.requireNonNull(cell.node(a).view("r", cell.now(a)));
        assertThat(view.token()).isEqualTo(granted.token());
    }
}
