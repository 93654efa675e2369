package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.paxos.Node;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The line of those who want one lease on one node. Times in milliseconds. */
class RequestQueueTest {

    private static final NodeId SELF = new NodeId("solo");
    private static final Reading NOW = new Reading(new Moment(0), 1_000_000_000_000L);
    private static final long LEASE = Duration.ofSeconds(3).toNanos();

    private final RequestQueue requests = new RequestQueue();

    private static AcquireRequest request(long id, WaitMode waitMode, @Nullable Moment limit) {
        return new AcquireRequest(id, "r", LEASE, true, waitMode, limit);
    }

    private static Moment at(long millis) {
        return new Moment(millis * 1_000_000);
    }

    @Test
    void theEarliestLimitOfTheRestIsNotThatOfTheFirst() {
        requests.add(request(1, WaitMode.WAIT, at(5)));
        assertThat(requests.earliestOfTheRest()).isNull();
        requests.add(request(2, WaitMode.WAIT, at(9)));
        requests.add(request(3, WaitMode.WAIT, at(7)));
        requests.add(request(4, WaitMode.WAIT, null));
        assertThat(requests.earliestOfTheRest()).isEqualTo(request(3, WaitMode.WAIT, at(7)));
        requests.remove();
        assertThat(requests.earliestOfTheRest()).isEqualTo(request(3, WaitMode.WAIT, at(7)));
        requests.remove(request(3, WaitMode.WAIT, at(7)));
        assertThat(requests.earliestOfTheRest()).isNull();
    }

    @Test
    void whoAskedOnceIsKnownUntilItIsAnswered() {
        requests.add(request(1, WaitMode.WAIT, null));
        assertThat(requests.askingOnce()).isEmpty();
        requests.add(request(2, WaitMode.TRY_ONCE, null));
        assertThat(requests.askingOnce()).containsExactly(request(2, WaitMode.TRY_ONCE, null));
        requests.remove(request(2, WaitMode.TRY_ONCE, null));
        requests.remove(request(2, WaitMode.TRY_ONCE, null));
        assertThat(requests.askingOnce()).isEmpty();
        assertThat(requests.find(1)).isEqualTo(request(1, WaitMode.WAIT, null));
        assertThat(requests.find(2)).isNull();
    }

    /** What is counted are the bytes that a step makes: one that copied the line would make more of them the longer the line is. */
    @Test
    void aRequestCostsTheSameHoweverManyWait() {
        AtomicLong incarnations = new AtomicLong();
        Node node = new Node(
                SELF,
                new Quorum(List.of(SELF)),
                new Timing(Duration.ofSeconds(5), 0.1),
                null,
                () -> new Incarnation(1, incarnations.incrementAndGet()),
                new SplittableRandom(1),
                NOW);
        int id = 0;
        for (; id < 1_000; id++) {
            node.step(new Event.Acquire(request(id, WaitMode.WAIT, at(60_000))), NOW);
        }
        long few = bytesOfSteps(node, id);
        for (id += 1_000; id < 20_000; id++) {
            node.step(new Event.Acquire(request(id, WaitMode.WAIT, at(60_000))), NOW);
        }
        assertThat(bytesOfSteps(node, id)).isLessThan(2 * few + 100_000);
    }

    private static long bytesOfSteps(Node node, int first) {
        long before = allocated();
        for (int id = first; id < first + 1_000; id++) {
            node.step(new Event.Acquire(request(id, WaitMode.WAIT, at(60_000))), NOW);
        }
        return allocated() - before;
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }
}
