package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Semaphores over three nodes. The clock stands still unless a test moves it. */
@Timeout(60)
class LeaseSemaphoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Longer than acceptors exclude others after the last renewal. */
    private static final Duration OVER = Duration.ofSeconds(5);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseSemaphore a = of("a", 2);
    private final LeaseSemaphore b = of("b", 2);
    private final LeaseSemaphore c = of("c", 2);

    @AfterEach
    void close() {
        cell.close();
    }

    private LeaseSemaphore of(String node, int permits) {
        return new LeaseSemaphore(new LeaseLocks(cell.node(node), LockOptions.defaults()), "s", permits);
    }

    /** A thread of that node that waits for all permits, as it has the place at the head of the line. */
    private Background<Lease> waitAtHead(String node) {
        return atHead(node, Background.start(of(node, 2)::acquire));
    }

    private <T> Background<T> atHead(String node, Background<T> waiting) {
        awaitState(node, "next", LeaseStatus.State.HELD);
        awaitState(node, "1", LeaseStatus.State.WAITING);
        awaitState(node, "0", LeaseStatus.State.WAITING);
        return waiting;
    }

    /** A thread of that node that waits for the place of a thread of another one. */
    private Background<Lease> waitBehind(String node) {
        return behind(node, Background.start(of(node, 2)::acquire));
    }

    private <T> Background<T> behind(String node, Background<T> waiting) {
        awaitState(node, "next", LeaseStatus.State.WAITING);
        return waiting;
    }

    /** A thread that has found no permit free, and from now on waits for the place, or at the head of the line for a permit. */
    private Background<Lease> waitInLine(String node) throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(2);
        NodeObserver refusals = new NodeObserver() {
            @Override
            public void notAcquired(String resource, Duration waited) {
                refused.countDown();
            }
        };
        cell.node(node).monitor().addObserver(refusals);
        Background<Lease> waiting = Background.start(of(node, 2)::acquire);
        assertThat(refused.await(10, TimeUnit.SECONDS)).isTrue();
        cell.node(node).monitor().removeObserver(refusals);
        return waiting;
    }

    private void awaitState(String node, String part, LeaseStatus.State state) {
        Eventually.until(node + " is " + state + " at " + part, () -> cell.node(node)
                .monitor()
                .status("semaphore:s/" + part)
                .filter(status -> status.state() == state)
                .isPresent());
    }

    /** Threads ask again after something has changed, and a node that has just released something waits for moments. */
    private <T> T result(Background<T> thread) throws InterruptedException, ExecutionException {
        Eventually.until("the thread is done", () -> {
            cell.advance(Duration.ofMillis(5));
            return thread.isDone();
        });
        return thread.result();
    }

    /** No permit is held, and no thread has left a request behind. */
    private void assertThatAllAreFree() throws InterruptedException {
        cell.advance(SECOND);
        for (String node : List.of("a", "b", "c")) {
            assertThat(cell.node(node).monitor().heldLeases()).as(node).isZero();
        }
        List<Lease> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            all.add(a.tryAcquire().orElseThrow());
        }
        cell.advance(SECOND);
        assertThat(all).allMatch(Lease::isHeld);
    }

    @Test
    void asManyAsThereArePermitsHoldOne() throws InterruptedException {
        Lease first = a.acquire();
        Lease second = b.acquire();

        assertThat(List.of(first.resource(), second.resource()))
                .containsExactlyInAnyOrder("semaphore:s/0", "semaphore:s/1");
        assertThat(List.of(first, second)).allMatch(Lease::isHeld);
        assertThat(c.tryAcquire()).isEmpty();
        assertThat(a.tryAcquire()).isEmpty();
        cell.advance(OVER);
        assertThat(List.of(first, second)).allMatch(Lease::isHeld);
        assertThat(c.tryAcquire()).isEmpty();
    }

    @Test
    void aThreadThatAcquiresTwiceHasTwo() throws InterruptedException {
        try (Lease first = a.acquire();
                Lease second = a.acquire()) {
            assertThat(first.resource()).isNotEqualTo(second.resource());
            assertThat(b.tryAcquire()).isEmpty();
        }
        assertThatAllAreFree();
    }

    @Test
    void theNextHolderOfAPermitHasALargerToken() throws InterruptedException {
        Lease kept = a.acquire();
        Lease given = b.acquire();
        given.release();
        Lease next = c.tryAcquire(SECOND).orElseThrow();

        assertThat(next.resource()).isEqualTo(given.resource()).isNotEqualTo(kept.resource());
        assertThat(next.fencingToken()).isGreaterThan(given.fencingToken());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aReleaseOfAnyPermitEndsAWait(int released) throws Exception {
        List<Lease> held = List.of(a.acquire(), b.acquire());
        Background<Lease> waiting = waitAtHead("c");
        held.get(released).release();

        Lease granted = result(waiting);
        assertThat(granted.isHeld()).isTrue();
        assertThat(granted.resource()).isEqualTo(held.get(released).resource());
        assertThat(held.get(1 - released).isHeld()).isTrue();
        assertThat(cell.node("c").monitor().heldLeases()).isEqualTo(1);
    }

    @Test
    void threadsOfOneNodeWaitForEachOther() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Lease> waiting = waitInLine("a");
        awaitState("a", "next", LeaseStatus.State.HELD);
        Background<Lease> next = waitInLine("a"); // one that yet asks for free permits may come first
        first.release();
        assertThat(result(waiting).isHeld()).isTrue();
        assertThat(next.isDone()).isFalse();
        second.release();

        assertThat(result(next).isHeld()).isTrue();
    }

    @Test
    void aCrashedHolderIsWaitedForUntilItsLeaseIsOver() throws Exception {
        Lease kept = a.acquire();
        b.acquire();
        Background<Lease> waiting = waitAtHead("c");
        cell.crash("b");
        cell.advance(SECOND);
        assertThat(waiting.isDone()).isFalse();
        cell.advance(OVER);

        assertThat(result(waiting).isHeld()).isTrue();
        assertThat(kept.isHeld()).isTrue();
    }

    @Test
    void theOneThatCameFirstIsServedFirst() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Lease> early = waitAtHead("b");
        Background<Lease> late = waitBehind("c");
        first.release();
        assertThat(result(early).isHeld()).isTrue();
        assertThat(late.isDone()).isFalse();
        second.release();

        assertThat(result(late).isHeld()).isTrue();
        assertThat(a.tryAcquire()).isEmpty();
    }

    /** The thread at the head of the line takes one of two permits that are released at once, and leaves the other one. */
    @Test
    void permitsThatAreReleasedTogetherGoToTwoThreads() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Lease> early = waitAtHead("b");
        Background<Lease> late = waitBehind("c");
        cell.node("a").stop();
        cell.advance(SECOND);

        assertThat(result(early).isHeld()).isTrue();
        assertThat(result(late).isHeld()).isTrue();
        assertThat(List.of(first, second)).noneMatch(Lease::isHeld);
        assertThat(cell.node("b").monitor().heldLeases()).isEqualTo(1);
        assertThat(cell.node("c").monitor().heldLeases()).isEqualTo(1);
    }

    @Test
    void aWaitEndsWithItsTimeAndLeavesNothingBehind() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Optional<Lease>> waiting = atHead("b", Background.start(() -> b.tryAcquire(SECOND)));
        Background<Optional<Lease>> behind = behind("c", Background.start(() -> c.tryAcquire(SECOND)));
        cell.advance(Duration.ofMillis(900));
        assertThat(waiting.isDone()).isFalse();
        assertThat(behind.isDone()).isFalse();
        cell.advance(Duration.ofMillis(100));

        assertThat(result(waiting)).isEmpty();
        assertThat(result(behind)).isEmpty();
        first.release();
        second.release();
        assertThatAllAreFree();
    }

    @Test
    void anInterruptedThreadLeavesNothingBehind() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Lease> waiting = waitAtHead("b");
        Background<Lease> behind = waitBehind("c");
        waiting.interrupt();
        behind.interrupt();

        for (Background<Lease> interrupted : List.of(waiting, behind)) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result(interrupted))
                    .withCauseExactlyInstanceOf(InterruptedException.class);
        }
        first.release();
        second.release();
        assertThatAllAreFree();
    }

    @Test
    void aThreadThatIsInterruptedAlreadyAsksForNothing() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(a::tryAcquire);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(cell.node("a").monitor().resources()).isEmpty();
    }

    /** Members that do not answer are asked for a second each time, until their connections are taken for dead after four. */
    @Test
    void withoutAMajorityNoneIsGrantedAndAskingEnds() throws Exception {
        LeaseSemaphore many = of("a", LeaseSemaphore.MOST_PERMITS);
        cell.suspend("b");
        cell.suspend("c");
        Background<Optional<Lease>> asking = Background.start(many::tryAcquire);
        Eventually.until("it asks", () -> !cell.node("a").monitor().resources().isEmpty());
        for (int i = 0; i < 600; i++) {
            cell.advance(Duration.ofMillis(5));
        }
        assertThat(asking.result()).isEmpty();
    }

    @Test
    void aPermitForAFixedTimeEnds() throws Exception {
        AtomicInteger lost = new AtomicInteger();
        Lease kept = a.acquire();
        Lease fixed = a.tryAcquire(AcquireOptions.fixed(SECOND)).orElseThrow();
        fixed.onLost((lease, reason) -> lost.incrementAndGet());
        assertThat(fixed.isHeld()).isTrue();
        cell.advance(SECOND.multipliedBy(2));

        assertThat(fixed.isHeld()).isFalse();
        assertThat(lost).hasValue(1);
        assertThat(kept.isHeld()).isTrue();
        assertThat(b.tryAcquire()).isPresent();
        assertThat(b.tryAcquire()).isEmpty();
    }

    /** A permit belongs to no thread. */
    @Test
    void anotherThreadMayReleaseIt() throws Exception {
        Lease permit = result(Background.start(a::acquire));
        permit.release();
        assertThatAllAreFree();
    }

    @Test
    void theLargerNumberOfPermitsCounts() throws InterruptedException {
        LeaseSemaphore four = of("b", 4);
        List<Lease> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(four.acquire());
        }
        assertThat(a.tryAcquire()).isEmpty();
        all.forEach(Lease::release);
        cell.advance(SECOND);

        assertThat(List.of(a.acquire(), a.acquire()))
                .extracting(Lease::resource)
                .containsExactlyInAnyOrder("semaphore:s/0", "semaphore:s/1");
        assertThat(a.tryAcquire()).isEmpty();
        assertThat(four.tryAcquire()).isPresent();
        assertThat(four.tryAcquire()).isPresent();
        assertThat(four.tryAcquire()).isEmpty();
    }

    @Test
    void theEndOfWaitsEndsThoseForAPermit() throws Exception {
        LeaseLocks locks = new LeaseLocks(cell.node("c"), LockOptions.defaults());
        LeaseSemaphore ending = new LeaseSemaphore(locks, "s", 2);
        Lease first = a.acquire();
        b.acquire();
        Background<Lease> head = atHead("c", Background.start(ending::acquire));
        Background<Lease> behind = Background.start(ending::acquire);
        behind.awaitBlocked();
        locks.endWaits();

        for (Background<Lease> ended : List.of(head, behind)) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result(ended))
                    .havingCause()
                    .isInstanceOf(LeaseTimeoutException.class)
                    .withMessage(
                            "No permit of the semaphore 's' is free at once, and this node no longer waits for one, because it is being stopped");
        }
        assertThat(ending.tryAcquire(SECOND)).isEmpty();
        first.release();
        cell.advance(SECOND);
        assertThat(ending.acquire().isHeld()).isTrue();
    }

    @Test
    void theLongestWaitOfLocksIsThatOfPermits() throws Exception {
        LeaseSemaphore limited = new LeaseSemaphore(
                new LeaseLocks(
                        cell.node("c"),
                        LockOptions.builder().waitTimeout(SECOND).build()),
                "s",
                2);
        a.acquire();
        b.acquire();
        Background<Lease> waiting = atHead("c", Background.start(limited::acquire));
        cell.advance(SECOND.minusMillis(1));
        assertThat(waiting.isDone()).isFalse();
        cell.advance(Duration.ofMillis(1));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> result(waiting))
                .havingCause()
                .isInstanceOf(LeaseTimeoutException.class)
                .withMessage(
                        "No permit of the semaphore 's' was granted within PT1S (waitTimeout): all 2 are held, or no majority answers");
    }

    @Test
    void aStoppedNodeSaysSo() throws Exception {
        Lease first = a.acquire();
        Lease second = a.acquire();
        Background<Lease> waiting = waitAtHead("b");
        cell.node("b").stop();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> result(waiting))
                .havingCause()
                .isInstanceOf(PaxosLeaseException.class)
                .withMessageStartingWith("This PaxosLease node is not running: start it first");
        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(b::acquire);
        assertThat(List.of(first, second)).allMatch(Lease::isHeld);
    }

    @Test
    void whatCannotWorkIsRefused() {
        LeaseLocks locks = new LeaseLocks(cell.node("a"), LockOptions.defaults());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeaseSemaphore(locks, "s", 0))
                .withMessage("The semaphore 's' must have 1 to 1000 permits, not 0");
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseSemaphore(locks, "s", 1_001));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeaseSemaphore(locks, "", 1))
                .withMessage("A semaphore needs a name that is the same on every node");
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseSemaphore(locks, "s".repeat(250), 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.tryAcquire(AcquireOptions.fixed(Duration.ofHours(1))))
                .withMessageContaining("The lease time of a permit of the semaphore s");
    }
}
