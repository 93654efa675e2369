package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Section 8, Q9: the clients that a queue has no room for. */
class OverflowQueueTest {

    private final Waiters waiters = new Waiters(new Share(Long.MAX_VALUE, node -> true));
    private final OverflowQueue overflow = new OverflowQueue(AcceptorMemory.UNBOUNDED);

    private static Reading at(long millis) {
        return new Reading(new Moment(millis * 1_000_000), 1_700_000_000_000_000L + millis * 1_000);
    }

    private static NodeId client(int i) {
        return new NodeId("c" + i);
    }

    private long add(int client, long since, long millis) {
        NodeId node = client(client);
        return overflow.add("r", since, node, waiters.reach(node), at(millis));
    }

    @Test
    void allOfThemAskFiftyTimesASecond() {
        long again = 0;
        for (int i = 0; i < 1_000; i++) {
            again = add(i, i, 0);
        }
        assertThat(again).isEqualTo(1_000 * 20_000_000L);
        assertThat(add(999, 999, 1)).as("asking again takes no second place").isEqualTo(again);
        assertThat(overflow.size()).isEqualTo(1_000);
    }

    @Test
    void theOldestAreCalledFirstHoweverTheyCame() {
        add(3, 30, 0);
        add(1, 10, 1);
        add(2, 20, 2);
        assertThat(overflow.take("r", 2, at(3))).containsExactly(client(1), client(2));
        assertThat(overflow.take("r", 2, at(3))).containsExactly(client(3));
        assertThat(overflow.take("r", 2, at(3))).isEmpty();
        assertThat(overflow.isEmpty()).isTrue();
    }

    @Test
    void onlyAsManyAsThereIsRoomForPassThoseThatWait() {
        add(1, 10, 0);
        add(2, 20, 0);
        assertThat(overflow.isAmongTheFirst(1, "r", 10, client(1), at(1))).isTrue();
        assertThat(overflow.isAmongTheFirst(1, "r", 5, client(3), at(1)))
                .as("an older wish")
                .isTrue();
        assertThat(overflow.isAmongTheFirst(2, "r", 30, client(3), at(1))).isFalse();
        assertThat(overflow.isAmongTheFirst(3, "r", 30, client(3), at(1))).isTrue();
        assertThat(overflow.isAmongTheFirst(0, "r", 5, client(3), at(1))).isFalse();
        assertThat(overflow.isAmongTheFirst(0, "s", 5, client(3), at(1))).isFalse();
        assertThat(overflow.isAmongTheFirst(1, "s", 5, client(3), at(1))).isTrue();
    }

    /** Each question would look at them again. */
    @Test
    void thoseThatAreOverAreDroppedWhenTheNewestAreAskedFor() {
        add(0, 0, 60_000);
        for (int i = 1; i <= 1_000; i++) {
            add(i, i, 0);
        }
        List<Candidate> newest = new ArrayList<>();
        overflow.addNewest("r", 16, at(60_001), newest);
        assertThat(newest).containsExactly(new Candidate(client(0), 0, false));
        assertThat(overflow.size()).isEqualTo(1);
    }

    @Test
    void whoIsGoneOrDoesNotAskAgainIsPassedOver() {
        add(1, 10, 0);
        add(2, 20, 0);
        waiters.removeAll(client(1));
        assertThat(overflow.isAmongTheFirst(2, "r", 30, client(3), at(1))).isTrue();
        assertThat(overflow.take("r", 2, at(1))).containsExactly(client(2));
        add(4, 40, 0);
        assertThat(overflow.take("r", 2, at(10_000))).isEmpty();
        assertThat(overflow.isEmpty()).isTrue();
    }

    @Test
    void aClientThatHasItsLeaseLeavesNothing() {
        add(1, 10, 0);
        overflow.remove("r", client(1));
        overflow.remove("r", client(2));
        overflow.remove("s", client(1));
        assertThat(overflow.isEmpty()).isTrue();
    }

    @Test
    void beyondItsBoundsItTellsWhenToAskAndRemembersNothing() {
        for (int i = 0; i < OverflowQueue.MAX_OF_ONE; i++) {
            add(i, i, 0);
        }
        long again = add(OverflowQueue.MAX_OF_ONE, 0, 0);
        assertThat(again).isEqualTo((OverflowQueue.MAX_OF_ONE + 1) * OverflowQueue.BETWEEN_ASKS);
        assertThat(overflow.size()).isEqualTo(OverflowQueue.MAX_OF_ONE);
        for (int resource = 0; resource < 5; resource++) {
            for (int i = 0; i < OverflowQueue.MAX_OF_ONE; i++) {
                overflow.add("s" + resource, i, client(i), waiters.reach(client(i)), at(0));
            }
        }
        assertThat(overflow.size()).isEqualTo(65_536);
    }

    /** As in a day of deployments: a thousand at a time come, wait and go. */
    @Test
    void aMillionNamesLeaveNothing() {
        int largest = 0;
        for (int round = 0; round < 1_000; round++) {
            int first = round * 1_000;
            for (int i = first; i < first + 1_000; i++) {
                add(i, i, round * 86_400L);
            }
            IntStream.range(first, first + 1_000).forEach(i -> waiters.removeAll(client(i)));
            largest = Math.max(largest, overflow.size());
        }
        assertThat(largest).isLessThanOrEqualTo(OverflowQueue.MAX_OF_ONE);
        overflow.sweep(at(90_000_000).moment());
        assertThat(overflow.isEmpty()).isTrue();
    }
}
