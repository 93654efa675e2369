package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Section 8: who waits at an acceptor. Times in milliseconds. */
class WaitersTest {

    private static final Moment LEASE_END = new Moment(5_000_000_000L);

    private final Waiters waiters = new Waiters(new Share(Long.MAX_VALUE, node -> true));

    private static Reading at(long millis) {
        return new Reading(new Moment(millis * 1_000_000), 0);
    }

    private static NodeId node(int number) {
        return new NodeId("n%02d".formatted(number));
    }

    private static Propose proposal(int who, long since, QueueMode queueMode) {
        Ballot ballot = new Ballot(100 + who, new Incarnation(who, who));
        return new Propose("r", ballot, 300_000_000, 1, queueMode, since);
    }

    private boolean queue(int who, long since) {
        return waiters.add(proposal(who, since, QueueMode.QUEUE), node(who), true, LEASE_END, at(0));
    }

    private List<NodeId> pollAll(Reading now) {
        List<NodeId> order = new ArrayList<>();
        for (Waiters.Waiter next = waiters.pollQueued("r", Long.MAX_VALUE, null, now);
                next != null;
                next = waiters.pollQueued("r", Long.MAX_VALUE, null, now)) {
            order.add(next.node());
        }
        return order;
    }

    @Test
    void whoHasWantedItLongestComesFirstAndOfEqualOnesTheSmallerName() {
        queue(1, 30);
        queue(2, 10);
        queue(4, 20);
        queue(3, 20);
        assertThat(pollAll(at(1))).containsExactly(node(2), node(3), node(4), node(1));
        assertThat(waiters.isEmpty()).isTrue();
    }

    @Test
    void aNodeHasOneProposalInLineTheLatest() {
        queue(1, 30);
        queue(2, 20);
        queue(1, 10);
        assertThat(pollAll(at(1))).containsExactly(node(1), node(2));
    }

    @Test
    void onlyWhatWouldBeAcceptedAndMayBeKeptIsKept() {
        assertThat(waiters.add(proposal(1, 1, QueueMode.QUEUE), node(1), false, LEASE_END, at(0)))
                .isFalse();
        assertThat(waiters.add(proposal(2, 1, QueueMode.NONE), node(2), true, LEASE_END, at(0)))
                .isFalse();
        assertThat(waiters.add(proposal(3, 1, QueueMode.ASK_HOLDER), node(3), true, LEASE_END, at(0)))
                .isFalse();
        assertThat(queue(4, 1)).isTrue();
        assertThat(waiters.waitingForHint("r", at(1)))
                .as("those that are not kept")
                .isEqualTo(3);
        assertThat(pollAll(at(1))).containsExactly(node(4));
        assertThat(waiters.all("r", at(1))).containsExactly(node(1), node(2), node(3));
    }

    @Test
    void aProposalIsKeptForItsLeaseTimeAndNotOneNanosecondLonger() {
        queue(1, 1);
        Reading end = at(300);
        Reading before = new Reading(end.moment().plusNanos(-1), 0);
        assertThat(waiters.isWanted("r", before)).isTrue();
        assertThat(waiters.isWanted("r", end)).isFalse();
        assertThat(waiters.isEmpty()).isTrue();
    }

    @Test
    void anAbandonedProposalIsKeptNoLongerAndALaterOneIs() {
        queue(1, 1);
        queue(2, 2);
        waiters.remove("r", node(1), new Incarnation(1, 1), 100);
        assertThat(waiters.all("r", at(1))).as("a lower counter").hasSize(2);
        waiters.remove("r", node(1), new Incarnation(1, 1), 101);
        assertThat(pollAll(at(1))).containsExactly(node(2));
    }

    @Test
    void theSuccessorThatIsNamedComesFirstThoughItsPredecessorHasNotBeenHeardOf() {
        Propose behindAnother =
                new Propose("r", new Ballot(102, new Incarnation(2, 2)), 300_000_000, 1, QueueMode.QUEUE, 20, 77);
        queue(1, 10);
        waiters.add(behindAnother, node(2), true, LEASE_END, at(0));
        assertThat(Objects.requireNonNull(waiters.pollQueued("r", 76, node(2), at(1)))
                        .node())
                .isEqualTo(node(2));

        waiters.add(behindAnother, node(2), true, LEASE_END, at(1));
        queue(1, 30);
        assertThat(Objects.requireNonNull(waiters.pollQueued("r", 76, null, at(2)))
                        .node())
                .as("without a name its predecessor comes first")
                .isEqualTo(node(1));
        assertThat(waiters.pollQueued("r", 76, node(3), at(2))).isNull();
    }

    @Test
    void whoOnlyAsksIsToldOnce() {
        waiters.add(proposal(1, 1, QueueMode.ASK_HOLDER), node(1), true, LEASE_END, at(0));
        queue(2, 2);
        assertThat(waiters.takeAsking("r", at(1)))
                .extracting(Waiters.Waiter::node)
                .containsExactly(node(1));
        assertThat(waiters.takeAsking("r", at(1))).isEmpty();
        assertThat(pollAll(at(1))).containsExactly(node(2));
    }

    @Test
    void nothingIsKeptForWhoCannotBeReached() {
        queue(1, 1);
        queue(2, 2);
        waiters.add("s", node(1), LEASE_END, at(0));
        waiters.removeAll(node(1));
        assertThat(waiters.all("r", at(1))).containsExactly(node(2));
        assertThat(waiters.isWanted("s", at(1))).isFalse();
    }

    @Test
    void aResourceHas64WaitersAtMost() {
        for (int i = 0; i < 64; i++) {
            assertThat(queue(i, i)).isTrue();
        }
        assertThat(queue(64, 0)).isFalse();
        assertThat(queue(7, 0)).as("it has a place").isTrue();
        assertThat(waiters.all("r", at(1))).hasSize(64).doesNotContain(node(64));
    }

    /** A holder that nobody hears of must not let the dead keep the living from the line. */
    @Test
    void whoWaitsNoMoreMakesRoom() {
        for (int i = 0; i < 64; i++) {
            queue(i, i);
        }
        assertThat(waiters.add(proposal(64, 1, QueueMode.QUEUE), node(64), true, LEASE_END, at(300)))
                .isTrue();
        assertThat(waiters.all("r", at(300))).containsExactly(node(64));
    }

    @Test
    void waitersOf65536ResourcesAreKeptAtMostAndThoseWhoseTimeIsOverMakeRoom() {
        for (int i = 0; i < 65_536; i++) {
            waiters.add("r" + i, node(1), new Moment(0), at(0));
        }
        waiters.add("one more", node(1), new Moment(0), at(999));
        assertThat(waiters.isWanted("one more", at(999))).isFalse();
        waiters.add("one more", node(1), LEASE_END, at(1_000));
        assertThat(waiters.isWanted("one more", at(1_000))).isTrue();
        assertThat(waiters.isWanted("r0", at(1_000))).isFalse();
    }

    // What it costs

    private void fill(int resources, NodeId node, Moment leaseEnd) {
        for (int i = 0; i < resources; i++) {
            waiters.add("r" + i, node, leaseEnd, at(0));
        }
    }

    /** However many resources wait, what is over is forgotten a few at a time. */
    @Test
    void roomIsMadeByLookingAtAFewOfTheResources() {
        fill(65_536, node(1), new Moment(0));
        waiters.add("one more", node(1), LEASE_END, at(1_000));
        assertThat(waiters.isWanted("one more", at(1_000))).isTrue();
        assertThat(waiters.resources()).isBetween(65_500, 65_536);
    }

    @Test
    void thoseThatGoOnWaitingDoNotKeepOthersFromMakingRoom() {
        fill(60_000, node(1), LEASE_END);
        for (int i = 60_000; i < 65_536; i++) {
            waiters.add("r" + i, node(1), new Moment(0), at(0));
        }
        int asked = 0;
        while (!waiters.isWanted("one more", at(1_000))) {
            waiters.add("one more", node(1), LEASE_END, at(1_000));
            assertThat(++asked).isLessThan(10_000);
        }
        assertThat(waiters.isWanted("r0", at(1_000))).isTrue();
    }

    @Test
    void aNodeThatCannotBeReachedCostsTheSameHoweverManyWait() {
        fill(10_000, node(1), LEASE_END);
        queue(2, 1);
        waiters.removeAll(node(1));
        assertThat(waiters.resources()).as("forgotten when they are looked at").isEqualTo(10_001);
        for (int i = 0; i < 10_000; i++) {
            assertThat(waiters.isWanted("r" + i, at(1))).isFalse();
        }
        assertThat(waiters.resources()).isEqualTo(1);
        waiters.add("r1", node(1), LEASE_END, at(1));
        assertThat(waiters.isWanted("r1", at(1))).as("it is there again").isTrue();
    }
}
