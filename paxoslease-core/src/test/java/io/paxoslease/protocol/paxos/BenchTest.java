package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Section 8, Q9: the clients that a queue has no room for. */
class BenchTest {

    private final Waiters waiters = new Waiters(new Share(Long.MAX_VALUE, node -> true));
    private final Bench bench = new Bench(AcceptorMemory.UNBOUNDED);

    private static Reading at(long millis) {
        return new Reading(new Moment(millis * 1_000_000), 1_700_000_000_000_000L + millis * 1_000);
    }

    private static NodeId client(int i) {
        return new NodeId("c" + i);
    }

    private long add(int client, long since, long millis) {
        NodeId node = client(client);
        return bench.add("r", since, node, waiters.reach(node), at(millis));
    }

    @Test
    void allOfThemAskFiftyTimesASecond() {
        long again = 0;
        for (int i = 0; i < 1_000; i++) {
            again = add(i, i, 0);
        }
        assertThat(again).isEqualTo(1_000 * 20_000_000L);
        assertThat(add(999, 999, 1)).as("asking again takes no second place").isEqualTo(again);
        assertThat(bench.size()).isEqualTo(1_000);
    }

    @Test
    void theOldestAreCalledFirstHoweverTheyCame() {
        add(3, 30, 0);
        add(1, 10, 1);
        add(2, 20, 2);
        assertThat(bench.take("r", 2, at(3))).containsExactly(client(1), client(2));
        assertThat(bench.take("r", 2, at(3))).containsExactly(client(3));
        assertThat(bench.take("r", 2, at(3))).isEmpty();
        assertThat(bench.isEmpty()).isTrue();
    }

    @Test
    void onlyAsManyAsThereIsRoomForPassThoseThatWait() {
        add(1, 10, 0);
        add(2, 20, 0);
        assertThat(bench.isAmongTheFirst(1, "r", 10, client(1), at(1))).isTrue();
        assertThat(bench.isAmongTheFirst(1, "r", 5, client(3), at(1)))
                .as("an older wish")
                .isTrue();
        assertThat(bench.isAmongTheFirst(2, "r", 30, client(3), at(1))).isFalse();
        assertThat(bench.isAmongTheFirst(3, "r", 30, client(3), at(1))).isTrue();
        assertThat(bench.isAmongTheFirst(0, "r", 5, client(3), at(1))).isFalse();
        assertThat(bench.isAmongTheFirst(0, "s", 5, client(3), at(1))).isFalse();
        assertThat(bench.isAmongTheFirst(1, "s", 5, client(3), at(1))).isTrue();
    }

    @Test
    void whoIsGoneOrDoesNotAskAgainIsPassedOver() {
        add(1, 10, 0);
        add(2, 20, 0);
        waiters.removeAll(client(1));
        assertThat(bench.isAmongTheFirst(2, "r", 30, client(3), at(1))).isTrue();
        assertThat(bench.take("r", 2, at(1))).containsExactly(client(2));
        add(4, 40, 0);
        assertThat(bench.take("r", 2, at(10_000))).isEmpty();
        assertThat(bench.isEmpty()).isTrue();
    }

    @Test
    void aClientThatHasItsLeaseLeavesNothing() {
        add(1, 10, 0);
        bench.remove("r", client(1));
        bench.remove("r", client(2));
        bench.remove("s", client(1));
        assertThat(bench.isEmpty()).isTrue();
    }

    @Test
    void beyondItsBoundsItTellsWhenToAskAndRemembersNothing() {
        for (int i = 0; i < Bench.MAX_OF_ONE; i++) {
            add(i, i, 0);
        }
        long again = add(Bench.MAX_OF_ONE, 0, 0);
        assertThat(again).isEqualTo((Bench.MAX_OF_ONE + 1) * Bench.BETWEEN_ASKS);
        assertThat(bench.size()).isEqualTo(Bench.MAX_OF_ONE);
        for (int resource = 0; resource < 5; resource++) {
            for (int i = 0; i < Bench.MAX_OF_ONE; i++) {
                bench.add("s" + resource, i, client(i), waiters.reach(client(i)), at(0));
            }
        }
        assertThat(bench.size()).isEqualTo(65_536);
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
            largest = Math.max(largest, bench.size());
        }
        assertThat(largest).isLessThanOrEqualTo(Bench.MAX_OF_ONE);
        bench.sweep(at(90_000_000).moment());
        assertThat(bench.isEmpty()).isTrue();
    }
}
