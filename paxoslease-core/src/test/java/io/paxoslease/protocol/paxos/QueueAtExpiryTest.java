package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Section 8, Q8: those who wait behind a record that expires, everywhere or at one acceptor only. */
class QueueAtExpiryTest {

    private final ProtocolTestCell cell = new ProtocolTestCell(5, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId e = cell.id(4);
    private final List<NodeId> waiting = cell.ids.subList(1, 5);

    private int proposals;

    private void allButTheFirstWait() {
        waiting.forEach(id -> {
            cell.acquire(id, "r", 1_000, true);
            cell.deliverAll();
        });
    }

    private Duration exclusion() {
        return Duration.ofNanos(cell.timing.exclusionNanos(300_000_000));
    }

    private Predicate<InFlight> counting(Predicate<InFlight> passes) {
        return message -> {
            boolean asks = message.message() instanceof Propose || message.message() instanceof Prepare;
            proposals += asks ? 1 : 0;
            return passes.test(message);
        };
    }

    private boolean isOfTheFirst(InFlight message) {
        return message.from().equals(a) || message.to().equals(a);
    }

    private List<NodeId> granted() {
        return waiting.stream()
                .filter(id -> !cell.all(id, Granted.class).isEmpty())
                .toList();
    }

    /** The acceptors serve the queue: no proposer asks again, and no two ballots meet. */
    @Test
    void theOldestHasTheLeaseWhenTheExclusionOfADeadHolderEnds() {
        cell.acquire(a, "r", 300, false);
        cell.deliverAll();
        allButTheFirstWait();
        cell.pass(exclusion().plusMillis(1), counting(message -> !isOfTheFirst(message)));
        assertThat(granted()).containsExactly(b);
        assertThat(proposals).isZero();
    }

    /** The others ask again later, once each, and are queued behind it. */
    @Test
    void afterwardsTheOthersAreQueuedBehindIt() {
        cell.acquire(a, "r", 300, false);
        cell.deliverAll();
        allButTheFirstWait();
        cell.pass(exclusion().plusMillis(50), counting(message -> !isOfTheFirst(message)));
        assertThat(proposals)
                .as("the three ask four acceptors, the dead one too")
                .isLessThanOrEqualTo(3 * 5);
        cell.step(b, new Event.GiveUp("r", cell.last(b, Granted.class).token()));
        cell.deliver(message -> !isOfTheFirst(message));
        assertThat(granted()).containsExactly(b, cell.id(2));
    }

    private boolean isRecordOf(NodeId holder, NodeId acceptor) {
        AcceptorSlot slot = Objects.requireNonNull(new NodeProbe(cell.node(acceptor)).acceptor())
                .live("r", cell.now(acceptor).moment());
        return slot != null && holder.equals(slot.ownerNode);
    }

    private boolean isBetween(InFlight message, NodeId one, NodeId other) {
        return (message.from().equals(one) && message.to().equals(other))
                || (message.from().equals(other) && message.to().equals(one));
    }

    /** Its record expires there alone. Those who wait there learn that a majority knows the holder, and leave. */
    @Test
    void anAcceptorThatAHolderCannotReachServesAllThatWaitThereAndIsLeftAlone() {
        cell.acquire(a, "r", 300, true);
        cell.deliverAll();
        allButTheFirstWait();
        int strayMillis = 0;
        int millis = 6_000;
        for (int i = 0; i < millis; i++) {
            cell.pass(Duration.ofMillis(1), counting(message -> !isBetween(message, a, e)));
            strayMillis += waiting.stream().anyMatch(id -> isRecordOf(id, e)) ? 1 : 0;
        }
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(granted()).isEmpty();
        assertThat(strayMillis).as("of %d", millis).isLessThan(millis / 10);
        assertThat(proposals)
                .as("nine each time that one of the four asks again")
                .isLessThan(700);
    }

    @Test
    void whenItReachesTheAcceptorAgainItsRecordIsThereWithinALeaseTimeAndTheOldestIsNext() {
        cell.acquire(a, "r", 300, true);
        cell.deliverAll();
        allButTheFirstWait();
        cell.pass(Duration.ofMillis(2_000), message -> !isBetween(message, a, e));
        cell.step(a, new Event.Reachable(e));
        cell.step(e, new Event.Reachable(a));
        for (int i = 0; i < 300 && !isRecordOf(a, e); i++) {
            cell.pass(Duration.ofMillis(1));
        }
        assertThat(isRecordOf(a, e)).isTrue();
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.deliverAll();
        assertThat(granted()).containsExactly(b);
    }

    /** Of a release only the acceptor has heard that was left out, and then one that was not. */
    @Test
    void anAcceptorThatWasLeftOutIsAskedAsSoonAsAnotherAgrees() {
        cell.acquire(a, "r", 1_000, true);
        cell.deliver(message -> !message.to().equals(e));
        cell.acquire(b, "r", 1_000, true);
        cell.deliverAll();
        assertThat(isRecordOf(b, e)).as("it gives way").isFalse();
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.deliver(message ->
                !(message.message() instanceof Release && message.to().equals(cell.id(3))));
        assertThat(granted()).containsExactly(b);
        assertThat(isRecordOf(b, e)).isTrue();
    }
}
