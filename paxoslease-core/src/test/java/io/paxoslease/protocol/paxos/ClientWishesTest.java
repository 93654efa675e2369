package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** W1: a client that holds hears from the members that others wait. Three members, a to c, and three clients, d to f. */
class ClientWishesTest {

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 3, Duration.ofSeconds(10));
    private final NodeId a = cell.id(0);
    private final NodeId d = cell.id(3);
    private final NodeId e = cell.id(4);
    private final NodeId f = cell.id(5);

    @BeforeEach
    void leaveTheFirstInstant() {
        cell.pass(Duration.ofMillis(1));
    }

    private Granted acquired(NodeId id) {
        cell.acquire(id, "r", 8_000, true);
        cell.deliverAll();
        return cell.last(id, Granted.class);
    }

    private void waits(NodeId id) {
        cell.acquire(id, "r", 8_000, true);
        cell.deliverAll();
    }

    private void asksOnce(NodeId id) {
        cell.acquire(id, "r", 8_000, true, WaitMode.TRY_ONCE, null);
        cell.deliverAll();
    }

    private Incarnation incarnation(NodeId id) {
        return cell.node(id).view(cell.now(id)).incarnation();
    }

    private void hears(NodeId id, Message message) {
        cell.step(id, new Event.Received(a, message));
    }

    private List<Message> sent(Class<? extends Message> type) {
        return cell.network.stream()
                .map(InFlight::message)
                .filter(type::isInstance)
                .toList();
    }

    private void deliverOneWay() {
        cell.hold(m -> true).forEach(m -> cell.step(m.to(), new Event.Received(m.from(), m.message())));
    }

    @Test
    void aClientThatHoldsHearsAtOnceThatAnotherWaits() {
        Granted held = acquired(d);
        cell.acquire(e, "r", 8_000, true);
        deliverOneWay();
        assertThat(sent(Wanted.class)).hasSize(3);
        assertThat(cell.network).filteredOn(m -> m.message() instanceof Wanted).allMatch(m -> m.to().equals(d));
        deliverOneWay();
        assertThat(cell.all(d, Effect.Wanted.class)).contains(new Effect.Wanted("r", held.token(), e));

        cell.step(d, new Event.GiveUp("r", held.token()));
        cell.deliverAll();
        assertThat(cell.all(e, Granted.class)).hasSize(1);
    }

    @Test
    void itHearsOfTheFirstThatWaitsAndNotOfEachNextOne() {
        acquired(d);
        waits(e);
        cell.acquire(f, "r", 8_000, true);
        deliverOneWay();
        assertThat(sent(Wanted.class)).isEmpty();
    }

    @Test
    void aMemberThatHoldsHearsOfItFromItsOwnAcceptorOnly() {
        acquired(a);
        cell.acquire(e, "r", 8_000, true);
        deliverOneWay();
        assertThat(sent(Wanted.class)).isEmpty();
        assertThat(cell.all(a, Effect.Wanted.class)).hasSize(1);
    }

    @Test
    void aWishThatComesBeforeTheGrantIsKept() {
        cell.acquire(d, "r", 8_000, true);
        List<InFlight> proposals = cell.hold(m -> true);
        cell.step(a, new Event.Received(d, proposals.get(0).message()));
        List<InFlight> accepted = cell.hold(m -> m.message() instanceof Accepted);
        cell.acquire(e, "r", 8_000, true);
        cell.hold(m -> m.to().equals(a)).forEach(m -> cell.step(a, new Event.Received(e, m.message())));
        cell.hold(m -> m.message() instanceof Wanted).forEach(m -> cell.step(d, new Event.Received(a, m.message())));
        assertThat(cell.all(d, Effect.Wanted.class)).isEmpty();

        cell.hold(m -> true);
        cell.network.addAll(accepted);
        cell.network.addAll(proposals.subList(1, 3));
        cell.deliverAll();
        Granted granted = cell.last(d, Granted.class);
        assertThat(cell.all(d, Effect.Wanted.class)).contains(new Effect.Wanted("r", granted.token(), e));
    }

    /** It would make the holder give up what no other wants any more. */
    @Test
    void aWishForAnEarlierTenureIsNoWish() {
        Granted first = acquired(d);
        cell.step(d, new Event.GiveUp("r", first.token()));
        cell.deliverAll();
        cell.pass(Duration.ofMillis(5));
        acquired(d);
        hears(d, new Wanted("r", incarnation(d), first.token(), 0, false));
        assertThat(cell.all(d, Effect.Wanted.class)).isEmpty();
    }

    @Test
    void aWishForARecordOfAnotherIncarnationIsNoWish() {
        Granted held = acquired(d);
        hears(d, new Wanted("r", incarnation(e), held.token(), 0, false));
        assertThat(cell.all(d, Effect.Wanted.class)).isEmpty();
        hears(d, new Wanted("r", incarnation(d), held.token(), 0, false));
        assertThat(cell.all(d, Effect.Wanted.class)).hasSize(1);
    }

    @Test
    void aWishOfANodeThatIsNoMemberIsNoWish() {
        Granted held = acquired(d);
        cell.step(d, new Event.Received(e, new Wanted("r", incarnation(d), held.token(), 0, false)));
        assertThat(cell.all(d, Effect.Wanted.class)).isEmpty();
    }

    @Test
    void aClientThatUsesTheLeaseSaysSoToWhoAsksOnce() {
        Granted held = acquired(d);
        asksOnce(e);
        assertThat(cell.all(e, Denied.class))
                .as("the holder may yet say something")
                .isEmpty();
        cell.step(d, new Event.InUse("r", held.token()));
        assertThat(sent(StillInUse.class)).hasSize(3);
        deliverOneWay();
        assertThat(sent(InUse.class)).as("each acceptor that e has asked").hasSize(3);
        cell.step(d, new Event.InUse("r", held.token()));
        assertThat(sent(StillInUse.class)).as("once for each that asked").isEmpty();
        cell.deliverAll();
        assertThat(cell.last(e, Denied.class).reason()).isEqualTo(Effect.Denial.HELD);
        assertThat(cell.last(e, Denied.class).holder()).isEqualTo(d);

        asksOnce(f);
        cell.step(d, new Event.GiveUp("r", held.token()));
        cell.pass(Duration.ofMillis(10));
        assertThat(cell.all(f, Granted.class)).hasSize(1);
    }

    @Test
    void whoWaitsNeedsNoWordThatTheLeaseIsInUse() {
        Granted held = acquired(d);
        waits(e);
        cell.step(d, new Event.InUse("r", held.token()));
        assertThat(sent(StillInUse.class)).isEmpty();
    }

    @Test
    void onlyTheOwnerMaySayThatItIsInUse() {
        acquired(d);
        asksOnce(e);
        cell.step(a, new Event.Received(f, new StillInUse("r", incarnation(d))));
        cell.step(a, new Event.Received(d, new StillInUse("r", incarnation(f))));
        assertThat(sent(InUse.class)).isEmpty();
        cell.step(a, new Event.Received(d, new StillInUse("r", incarnation(d))));
        assertThat(sent(InUse.class)).hasSize(1);
    }

    /** Nothing is left to wait for that is over already: the node would not come to rest. */
    @Test
    void aClientThatReleasesAndAsksAgainInVainWaitsForNothing() {
        Granted held = acquired(d);
        cell.pass(Duration.ofMillis(1));
        waits(e);
        cell.step(d, new Event.GiveUp("r", held.token()));
        cell.network.clear();
        long request = cell.acquire(d, "r", 8_000, true);
        PaxosMessage.Propose asked =
                (PaxosMessage.Propose) sent(PaxosMessage.Propose.class).get(0);
        Ballot ballot = asked.ballot();
        PaxosMessage.Stale stale = new PaxosMessage.Stale("r", ballot, asked.attempt(), ballot.counter());
        cell.ids.subList(0, 3).forEach(member -> cell.step(d, new Event.Received(member, stale)));
        cell.jump(Duration.ofMillis(5));
        cell.step(d, new Event.Withdraw("r", request));
        assertThat(cell.node(d).nextDeadline()).isNull();
    }

    /** e has not reached c when d gives the lease up and wants it again: d comes after e there as well. */
    @Test
    void aClientThatReleasesAndAsksAgainComesAfterThoseWhoWait() {
        Granted held = acquired(d);
        cell.acquire(e, "r", 8_000, true);
        List<InFlight> late = cell.hold(m -> m.from().equals(e) && m.to().equals(cell.id(2)));
        cell.deliverAll();

        cell.step(d, new Event.GiveUp("r", held.token()));
        cell.acquire(d, "r", 8_000, true);
        cell.deliverAll();
        assertThat(cell.all(e, Granted.class)).hasSize(1);
        assertThat(cell.all(d, Granted.class)).hasSize(1);

        cell.network.addAll(late);
        cell.deliverAll();
        cell.step(e, new Event.GiveUp("r", cell.last(e, Granted.class).token()));
        cell.deliverAll();
        assertThat(cell.all(d, Granted.class)).hasSize(2);
    }
}
