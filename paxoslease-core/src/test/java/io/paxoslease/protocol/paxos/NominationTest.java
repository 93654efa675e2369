package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Nominated.Waiting;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Q14, Q15: a holder learns who waits, and releases its lease to one of them. Three members, a to c, and clients from d on. */
class NominationTest {

    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 23, Duration.ofSeconds(10));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId d = cell.id(3);
    private final NodeId e = cell.id(4);
    private final NodeId f = cell.id(5);
    private final NodeId g = cell.id(6);

    @BeforeEach
    void leaveTheFirstInstant() {
        cell.pass(Duration.ofMillis(1));
    }

    private Granted acquired(NodeId id) {
        waits(id);
        return cell.last(id, Granted.class);
    }

    /** Each later than the one before. */
    private void waits(NodeId... nodes) {
        for (NodeId id : nodes) {
            cell.acquire(id, "r", 8_000, true);
            cell.deliverAll();
            cell.pass(Duration.ofMillis(1));
        }
    }

    private void asks(Granted held, NodeId holder, @Nullable NodeId about) {
        cell.step(holder, new Event.Nominate("r", held.token(), about, HALF_A_SECOND.toNanos(), 77));
    }

    private Effect.Nominated answer(NodeId holder) {
        assertThat(cell.all(holder, Effect.Nominated.class)).hasSize(1);
        assertThat(cell.last(holder, Effect.Nominated.class).requestId()).isEqualTo(77);
        return cell.last(holder, Effect.Nominated.class);
    }

    private void releasesTo(Granted held, NodeId holder, NodeId successor) {
        cell.step(holder, new Event.GiveUpTo("r", held.token(), successor));
    }

    private Incarnation incarnation(NodeId id) {
        return cell.node(id).view(cell.now(id)).incarnation();
    }

    @Test
    void aHolderLearnsWhoIsQueuedAndSinceWhen() {
        Granted held = acquired(a);
        waits(b, d, c);
        asks(held, a, null);
        cell.deliverAll();
        Effect.Nominated answer = answer(a);
        assertThat(answer.answered()).isTrue();
        assertThat(answer.waiting())
                .allMatch(Waiting::queued)
                .extracting(Waiting::node)
                .containsExactly(b, c, d);
        assertThat(answer.waiting())
                .extracting(Waiting::sinceMicros)
                .satisfies(since ->
                        assertThat(since.get(0)).isLessThan(since.get(2)).isPositive())
                .satisfies(since -> assertThat(since.get(2)).isLessThan(since.get(1)));
    }

    /** One message delay after the release, as without a nomination. */
    @Test
    void theSuccessorHasTheLeaseAfterOneDelayThoughOthersHaveWaitedLonger() {
        Granted held = acquired(a);
        waits(b, d, c);
        releasesTo(held, a, c);
        List<InFlight> releases = cell.hold(m -> true);
        assertThat(releases).filteredOn(m -> m.message() instanceof ReleaseTo).hasSize(2);
        releases.forEach(m -> cell.step(m.to(), new Event.Received(m.from(), m.message())));
        assertThat(cell.all(c, Granted.class)).hasSize(1);

        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.step(c, new Event.GiveUp("r", cell.last(c, Granted.class).token()));
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).as("the others keep their order").hasSize(1);
    }

    @Test
    void aClientMayHandOverToAClient() {
        Granted held = acquired(d);
        waits(b, e);
        asks(held, d, e);
        cell.deliverAll();
        assertThat(answer(d).waiting())
                .extracting(Waiting::node, Waiting::queued)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(e, true));
        releasesTo(held, d, e);
        cell.deliverAll();
        assertThat(cell.all(e, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Granted.class)).isEmpty();
    }

    @Test
    void aNodeThatDoesNotWaitIsAskedAboutForHalfASecondAndTheLeaseStays() {
        Granted held = acquired(a);
        waits(b);
        asks(held, a, c);
        cell.pass(Duration.ofMillis(499));
        assertThat(cell.all(a, Effect.Nominated.class)).isEmpty();
        cell.pass(Duration.ofMillis(2));
        assertThat(answer(a)).isEqualTo(new Effect.Nominated(77, true, List.of()));
        assertThat(cell.all(b, Granted.class)).isEmpty();
        assertThat(cell.node(a).view("r", cell.now(a)))
                .satisfies(view -> assertThat(view.state()).isEqualTo(LeaseView.State.HELD));
    }

    @Test
    void aReleaseToANodeThatDoesNotWaitIsARelease() {
        Granted held = acquired(a);
        waits(b);
        releasesTo(held, a, c);
        cell.deliverAll();
        assertThat(cell.all(b, Granted.class)).hasSize(1);
        assertThat(cell.all(c, Granted.class)).isEmpty();
    }

    @Test
    void aNodeThatBeginsToWaitDuringTheQuestionIsFound() {
        Granted held = acquired(a);
        asks(held, a, c);
        cell.deliverAll();
        assertThat(cell.all(a, Effect.Nominated.class)).isEmpty();
        waits(c);
        cell.pass(Duration.ofMillis(200));
        assertThat(answer(a).waiting()).allMatch(Waiting::queued).hasSize(1);
    }

    @Test
    void withoutAMajorityThereIsNoAnswer() {
        Granted held = acquired(a);
        waits(b);
        asks(held, a, null);
        cell.pass(Duration.ofMillis(501), m -> m.to().equals(a) || !(m.message() instanceof Nominate));
        assertThat(answer(a).answered()).isFalse();
    }

    @Test
    void whileNoMajorityCanBeReachedTheAnswerComesAtOnce() {
        Granted held = acquired(a);
        cell.step(a, new Event.Unreachable(b));
        cell.step(a, new Event.Unreachable(c));
        asks(held, a, null);
        assertThat(answer(a).answered()).isFalse();
    }

    @Test
    void aNodeThatDoesNotHoldTheLeaseIsAnsweredAtOnce() {
        Granted held = acquired(a);
        cell.step(a, new Event.GiveUp("r", held.token()));
        asks(held, a, b);
        assertThat(answer(a)).isEqualTo(new Effect.Nominated(77, false, List.of()));
    }

    @Test
    void onlyTheOwnerIsTold() {
        Granted held = acquired(d);
        waits(e);
        long counter = held.token();
        cell.step(a, new Event.Received(e, new Nominate("r", incarnation(d), counter, 1, null)));
        cell.step(a, new Event.Received(d, new Nominate("r", incarnation(e), counter, 1, null)));
        cell.step(a, new Event.Received(d, new Nominate("r", incarnation(d), counter - 1, 1, null)));
        assertThat(cell.network).isEmpty();
        cell.step(a, new Event.Received(d, new Nominate("r", incarnation(d), counter, 1, null)));
        assertThat(cell.network).hasSize(1).allMatch(m -> m.message() instanceof Nominated);
    }

    /** Another node cannot drop a record by it, or choose the successor. */
    @Test
    void aReleaseToOfAnotherNodeChangesNothing() {
        Granted held = acquired(d);
        waits(b, e);
        Release forged = new Release("r", incarnation(d), held.token() + 1_000);
        cell.ids.subList(0, 3).forEach(member -> cell.step(member, new Event.Received(e, new ReleaseTo(forged, e))));
        cell.deliverAll();
        assertThat(cell.all(e, Granted.class)).isEmpty();
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(Duration.ofSeconds(20));
        assertThat(cell.all(d, Effect.Lost.class)).isEmpty();
    }

    /** The successor is not queued at c: it has two of three, and its renewal finds a place there as well. */
    @Test
    void aSuccessorThatMissesAtAnAcceptorCostsNoDuel() {
        Granted held = acquired(a);
        waits(b);
        cell.acquire(d, "r", 8_000, true);
        cell.deliver(m -> !m.to().equals(c));
        releasesTo(held, a, d);
        cell.deliverAll();
        assertThat(cell.all(d, Granted.class)).hasSize(1);
        assertThat(cell.all(b, Granted.class)).isEmpty();
        cell.pass(Duration.ofSeconds(30));
        assertThat(cell.all(d, Effect.Lost.class)).isEmpty();
        assertThat(cell.all(b, Granted.class)).isEmpty();
    }

    /** The queue has places for sixteen clients; the one that came last has none. */
    @Test
    void aClientWithoutAPlaceIsCalledIntoTheQueue() {
        Granted held = acquired(a);
        List<NodeId> clients = cell.ids.subList(3, 23);
        clients.forEach(this::waits);
        NodeId last = clients.get(clients.size() - 1);
        asks(held, a, null);
        cell.deliverAll();
        assertThat(answer(a).waiting())
                .hasSize(clients.size())
                .filteredOn(each -> !each.queued())
                .hasSize(4);
        cell.effects(a).removeIf(Effect.Nominated.class::isInstance);

        asks(held, a, last);
        cell.pass(Duration.ofMillis(100));
        assertThat(answer(a).waiting()).hasSize(1).allMatch(Waiting::queued);
        releasesTo(held, a, last);
        cell.deliverAll();
        assertThat(cell.all(last, Granted.class)).hasSize(1);
        assertThat(IntStream.range(3, 22).mapToObj(cell::id))
                .allMatch(each -> cell.all(each, Granted.class).isEmpty());
    }

    @Test
    void aHolderHearsWhoseTurnComesFirstAndOfEachChange() {
        acquired(d);
        waits(b);
        assertThat(cell.last(d, Effect.Wanted.class).first()).isEqualTo(b);
        long request = cell.acquire(e, "r", 8_000, true);
        cell.deliverAll();
        cell.step(e, new Event.Withdraw("r", request));
        cell.deliverAll();
        assertThat(cell.all(d, Effect.Wanted.class))
                .as("the first one is the same")
                .allMatch(wanted -> b.equals(wanted.first()));
    }

    @Test
    void whenTheFirstOneWithdrawsTheHolderHearsOfTheNextOne() {
        acquired(d);
        long request = cell.acquire(b, "r", 8_000, true);
        cell.deliverAll();
        waits(e);
        assertThat(cell.last(d, Effect.Wanted.class).first()).isEqualTo(b);
        cell.step(b, new Event.Withdraw("r", request));
        assertThat(cell.network).filteredOn(m -> m.message() instanceof Release).isNotEmpty();
        cell.deliverAll();
        assertThat(cell.last(d, Effect.Wanted.class).first()).isEqualTo(e);
    }

    /** E was the first for the owner before as well: to the acceptors it is nothing new. */
    @Test
    void aSuccessorHearsWhoseTurnComesFirst() {
        Granted held = acquired(d);
        waits(e, f, g);
        releasesTo(held, d, f);
        cell.deliverAll();
        assertThat(cell.all(f, Granted.class)).hasSize(1);
        assertThat(cell.all(f, Effect.Wanted.class))
                .extracting(Effect.Wanted::first)
                .contains(e);
    }

    @Test
    void theNextOwnerAfterAReleaseHearsWhoseTurnComesFirst() {
        Granted held = acquired(d);
        waits(e, f);
        cell.step(d, new Event.GiveUp("r", held.token()));
        cell.deliverAll();
        assertThat(cell.all(e, Granted.class)).hasSize(1);
        assertThat(cell.last(e, Effect.Wanted.class).first()).isEqualTo(f);
    }

    @Test
    void aMemberHearsItFromItsOwnAcceptorWithoutAMessage() {
        Granted held = acquired(a);
        long request = cell.acquire(b, "r", 8_000, true);
        cell.deliverAll();
        waits(e);
        assertThat(cell.last(a, Effect.Wanted.class)).isEqualTo(new Effect.Wanted("r", held.token(), b));
        cell.step(b, new Event.Withdraw("r", request));
        cell.deliver(m -> {
            assertThat(m.message()).isNotInstanceOf(Wanted.class);
            return true;
        });
        assertThat(cell.last(a, Effect.Wanted.class)).isEqualTo(new Effect.Wanted("r", held.token(), e));
    }
}
