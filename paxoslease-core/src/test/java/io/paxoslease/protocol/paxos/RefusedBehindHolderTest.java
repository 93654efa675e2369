package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that two of three refuse, before the third has answered. Section 5, P5 and P8. */
class RefusedBehindHolderTest {

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 2, Duration.ofMillis(10_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId d = cell.id(3);
    private final NodeId e = cell.id(4);

    private long request;

    @BeforeEach
    void leaveTheFirstInstant() {
        cell.pass(Duration.ofMillis(1));
    }

    private List<InFlight> releasesInFlight() {
        return cell.network.stream()
                .filter(message -> message.message() instanceof Release)
                .toList();
    }

    /** Of the nodes a, b and c only the first two answer; what the third says is held back. */
    private List<InFlight> refusedByTwo(NodeId asking) {
        cell.acquire(asking, "r", 5_000, true, WaitMode.TRY_ONCE, Duration.ZERO);
        List<InFlight> toThird = cell.hold(message -> message.to().equals(c));
        cell.deliverAll();
        return toThird;
    }

    private void arrive(List<InFlight> messages) {
        messages.forEach(each -> cell.step(each.to(), new Event.Received(each.from(), each.message())));
    }

    private void heldByA() {
        cell.acquire(a, "r", 5_000, true);
        cell.deliverAll();
    }

    @Test
    void whereTheHolderIsKnownEverywhereNothingIsReleased() {
        heldByA();
        cell.acquire(b, "r", 5_000, true);
        cell.deliverAll();
        cell.pass(Duration.ofMillis(1));
        List<InFlight> toThird = refusedByTwo(d);
        assertThat(releasesInFlight()).isEmpty();
        arrive(toThird);
        assertThat(cell.network).allMatch(message -> message.message() instanceof Held);
        cell.deliver(message -> {
            assertThat(message.message()).isNotInstanceOfAny(Release.class, Stale.class);
            return true;
        });
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.deliver(message -> {
            assertThat(message.message()).as("b has its place yet").isNotInstanceOfAny(Stale.class, Propose.class);
            return true;
        });
        assertThat(cell.all(b, Granted.class)).hasSize(1);
    }

    private void heldByAButNotAtC() {
        cell.acquire(a, "r", 5_000, true);
        cell.deliver(message -> !message.to().equals(c));
    }

    @Test
    void anAcceptanceThatComesLateIsReleased() {
        heldByAButNotAtC();
        List<InFlight> toThird = refusedByTwo(d);
        arrive(toThird);
        assertThat(cell.network).extracting(InFlight::message).hasOnlyElementsOfType(Accepted.class);
        cell.deliverAll();
        assertThat(new NodeProbe(cell.node(c)).live("r", cell.now(c).moment())).isNull();
    }

    @Test
    void whatMayBeAcceptedByASilentAcceptorIsReleasedAfterTwentyMilliseconds() {
        heldByAButNotAtC();
        List<InFlight> toThird = refusedByTwo(d);
        cell.pass(Duration.ofMillis(19));
        int[] releases = {0};
        cell.pass(Duration.ofMillis(30), message -> {
            releases[0] += message.message() instanceof Release && message.to().equals(c) ? 1 : 0;
            return true;
        });
        assertThat(releases[0]).isEqualTo(1);
        arrive(toThird);
        cell.deliver(message -> !(message.message() instanceof Release));
        assertThat(new NodeProbe(cell.node(c)).live("r", cell.now(c).moment()))
                .as("a late proposal of what is released is not accepted")
                .isNull();
    }

    /** The other two have no room for it. */
    private List<InFlight> refusedWithoutAPlace(long remainingNanos) {
        heldByA();
        Ballot holder = new Ballot(cell.last(a, Granted.class).token(), new Incarnation(7, 1));
        cell.pass(Duration.ofMillis(1)); // so that its counter is the higher one
        request = cell.acquire(d, "r", 5_000, true);
        List<InFlight> all = cell.hold(message -> true);
        Propose asked = (Propose) all.get(0).message();
        Held refusal = new Held("r", asked.ballot(), asked.attempt(), holder, a, remainingNanos, 0, false);
        cell.step(d, new Event.Received(a, refusal));
        cell.step(d, new Event.Received(b, refusal));
        assertThat(releasesInFlight()).isEmpty();
        return all;
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aNodeThatWantsNothingMoreComesToRestWhileAnAnswerIsDue() {
        refusedWithoutAPlace(1_000_000);
        cell.step(d, new Event.Withdraw("r", request));
        cell.pass(Duration.ofMillis(15), message -> false);
        assertThat(cell.node(d).nextDeadline()).as("the answer is awaited yet").isNotNull();
        cell.pass(Duration.ofMillis(15), message -> false);
        assertThat(cell.node(d).nextDeadline()).isNull();
    }

    @Test
    void whatIsQueuedLateIsReleased() {
        List<InFlight> all = refusedWithoutAPlace(4_000_000_000L);
        arrive(all.stream().filter(message -> message.to().equals(c)).toList());
        Acceptor third = Objects.requireNonNull(new NodeProbe(cell.node(c)).acceptor());
        assertThat(third.notifier().isWanted("r", cell.now(c))).isTrue();
        assertThat(third.notifier().isWanted("r", cell.now(c))).isTrue();
        cell.deliverAll();
        assertThat(third.notifier().isWanted("r", cell.now(c))).isFalse();
    }

    @Test
    void aStoppingNodeReleasesWhatItAwaits() {
        heldByAButNotAtC();
        refusedByTwo(d);
        cell.step(d, new Event.Shutdown());
        assertThat(releasesInFlight()).extracting(InFlight::to).containsExactly(c);
    }

    /** The next attempt renews the record, if there is one, or is released itself. */
    @Test
    void theNextAttemptTakesThePlaceOfWhatWasAwaited() {
        heldByAButNotAtC();
        List<InFlight> toThird = refusedByTwo(e);
        assertThat(cell.all(e, Denied.class)).isEmpty();
        cell.acquire(e, "r", 5_000, true);
        cell.pass(Duration.ofMillis(25), message -> !message.to().equals(c));
        arrive(toThird);
        cell.deliverAll();
        cell.pass(Duration.ofMillis(5_000));
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.deliverAll();
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.all(e, Granted.class)).hasSize(1);
    }
}
