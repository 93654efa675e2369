package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseListener;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An in-memory cell and the threads that use it: callbacks, elections, locks. */
@Tag("slow")
@Tag("jdk")
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryCellThreadsTest {

    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private Lease ask(String node, String resource) throws InterruptedException {
        return cell.node(node).tryAcquire(resource, ASK_ONCE).orElseThrow();
    }

    /** Tokens are microseconds of the cell's wall clock. */
    private long micros() throws InterruptedException {
        Lease probe = ask("c", "probe");
        probe.release();
        return probe.fencingToken();
    }

    /** A lease of node a that ends after a second, and then calls back. */
    private void afterASecond(LeaseListener code) throws InterruptedException {
        cell.node("a")
                .tryAcquire(
                        "x",
                        AcquireOptions.builder()
                                .leaseTime(SECOND)
                                .renewed(false)
                                .maxWait(Duration.ZERO)
                                .build())
                .orElseThrow()
                .onLost(code);
    }

    @Test
    void aCallbackSeesTheTimeItIsCalledAt() throws InterruptedException {
        List<Long> seen = new ArrayList<>();
        long start = micros();
        afterASecond((lease, reason) -> {
            try {
                seen.add(micros() - start);
            } catch (InterruptedException e) {
                seen.add(-1L);
            }
        });
        cell.advance(Duration.ofMinutes(5));

        assertThat(seen).containsExactly(1_000_001L);
    }

    @Test
    void aCallbackThatBlocksHoldsNobodyUp() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        afterASecond((lease, reason) -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Lease other = ask("b", "y");
        cell.advance(Duration.ofMinutes(5));

        assertThat(other.isHeld()).isTrue();
        end.countDown();
    }

    @Test
    void aCallbackMayMoveTheClock() throws Exception {
        CountDownLatch moved = new CountDownLatch(1);
        long start = micros();
        afterASecond((lease, reason) -> {
            cell.advance(SECOND);
            moved.countDown();
        });
        cell.advance(SECOND);

        assertThat(moved.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(micros() - start).isEqualTo(2_000_002L);
    }

    @Test
    void whatWouldWaitForItsOwnThreadIsRefused() {
        List<Throwable> refusals = new ArrayList<>();
        cell.denyRequests("a", resource -> {
            refusals.add(catchThrowable(() -> cell.advance(SECOND)));
            return true;
        });
        cell.node("a").acquire("x", AcquireOptions.renewing());

        assertThat(refusals).isNotEmpty().allSatisfy(refusal -> assertThat(refusal)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another thread"));
    }

    @Test
    void threadsThatMoveTheClockDoItOneAfterTheOther() throws Exception {
        long start = micros();
        List<Background<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Background.start(() -> {
                for (int n = 0; n < 50; n++) {
                    cell.advance(Duration.ofMillis(10));
                }
                return null;
            }));
        }
        for (Background<Void> thread : threads) {
            thread.result();
        }
        assertThat(micros() - start).isEqualTo(2_000_001L);
    }

    @Test
    void closingEndsTheThreads() throws InterruptedException {
        Set<Thread> before = threads();
        InMemoryCell other = InMemoryCell.of("d", "e", "f");
        Lease lease = other.node("d").acquire("x", AcquireOptions.renewing()).join();
        other.suspend("e");
        Set<Thread> made = threads();
        made.removeAll(before);
        assertThat(made).hasSizeBetween(1, 2).allMatch(Thread::isDaemon);
        other.close();

        assertThat(lease.isHeld()).isFalse();
        assertThat(made)
                .filteredOn(thread -> !thread.getName().endsWith("-callbacks"))
                .noneMatch(Thread::isAlive);
        Eventually.until("the callback thread ends", () -> made.stream().noneMatch(Thread::isAlive));
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paxoslease-"))
                .collect(Collectors.toSet());
    }

    @Test
    void anElectionPassesLeadershipOn() throws InterruptedException {
        TestCandidate a = new TestCandidate().onGranted(TestCandidate::workUntilInterrupted);
        TestCandidate b = new TestCandidate().onGranted(TestCandidate::workUntilInterrupted);
        try (LeaderElection first = LeaderElection.builder(cell.node("a"), "x").build(a);
                LeaderElection second =
                        LeaderElection.builder(cell.node("b"), "x").build(b)) {
            first.start();
            Leadership old = a.awaitGranted();
            second.start();
            cell.advance(Duration.ofMinutes(5));
            assertThat(first.isLeader()).isTrue();
            cell.disconnect("a");
            cell.advance(PaxosLeaseOptions.DEFAULT_LEASE_TIME.plusSeconds(1));
            assertThat(first.isLeader()).isFalse();
            assertThat(a.next()).isEqualTo("granted");
            assertThat(a.next()).isEqualTo("revoked");
            assertThat(b.awaitGranted().fencingToken()).isGreaterThan(old.fencingToken());
            assertThat(second.isLeader()).isTrue();
        }
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry")
    void aLockGoesFromNodeToNode() throws Exception {
        LeaseLock a = new LeaseLocks(cell.node("a"), LockOptions.defaults()).get("key");
        // Not kept: whoever asks once is refused because of a lease that is kept.
        LeaseLock b = new LeaseLocks(
                        cell.node("b"),
                        LockOptions.builder().idleRetention(Duration.ZERO).build())
                .get("key");
        a.lock();
        Background<Boolean> waiting = Background.start(() -> {
            b.lock();
            boolean held = b.isHeldByCurrentThread();
            b.unlock();
            return held;
        });
        waiting.awaitBlocked();
        cell.advance(Duration.ofMinutes(5));
        assertThat(a.isHeldByCurrentThread()).isTrue();
        assertThat(waiting.isDone()).isFalse();
        a.unlock();

        assertThat(waiting.result()).isTrue();
        cell.advance(Duration.ofMillis(5)); // who has released a lease that others wait for stands back as long
        assertThat(a.tryLock()).isTrue();
        a.unlock();
    }
}
