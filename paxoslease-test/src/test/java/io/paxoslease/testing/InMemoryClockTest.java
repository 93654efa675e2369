package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.LeaseStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every limit of locks and elections passes when the test moves the cell's clock. The limits are hours, and the tests take no time. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class InMemoryClockTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SHORTLY_BEFORE = HOUR.minusMillis(1);
    private static final Duration A_LITTLE = Duration.ofMillis(1);
    private static final Duration A_SECOND = Duration.ofSeconds(1);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseLocks locks = new LeaseLocks(cell.node("a"), LockOptions.defaults());
    private final LeaseLock lock = locks.get("key");
    private final CountDownLatch finish = new CountDownLatch(1);

    @AfterEach
    void close() {
        finish.countDown();
        cell.close();
    }

    private Background<Boolean> tryingForAnHour() {
        Background<Boolean> trying = Background.start(() -> {
            boolean locked = lock.tryLock(1, TimeUnit.HOURS);
            if (locked) {
                lock.unlock();
            }
            return locked && !Thread.currentThread().isInterrupted();
        });
        trying.awaitBlocked();
        return trying;
    }

    @Test
    void aWaitForAnotherThreadOfTheNodeEndsAtItsLimit() throws Exception {
        lock.lock();
        Background<Boolean> trying = tryingForAnHour();
        cell.advance(SHORTLY_BEFORE);
        trying.awaitBlocked();
        assertThat(trying.isDone()).isFalse();
        cell.advance(A_LITTLE);

        assertThat(trying.result()).isFalse();
        lock.unlock();
    }

    @Test
    void aWaitForAnotherThreadOfTheNodeEndsWithAnUnlockTooAndLeavesNoInterruptBehind() throws Exception {
        lock.lock();
        Background<Boolean> trying = tryingForAnHour();
        cell.advance(SHORTLY_BEFORE);
        lock.unlock();

        assertThat(trying.result()).isTrue();
        cell.advance(HOUR);
    }

    @Test
    void anInterruptEndsAWaitForAnotherThreadOfTheNode() {
        lock.lock();
        Background<Boolean> trying = tryingForAnHour();
        trying.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(trying::result)
                .withCauseExactlyInstanceOf(InterruptedException.class);
        lock.unlock();
    }

    /** First for another thread here, then for another node: both out of the same hour. */
    @Test
    void bothWaitsOfALockAreOutOfTheSameTime() throws Exception {
        Duration half = HOUR.dividedBy(2);
        Lease elsewhere = cell.node("b").acquire("lock:key", RENEWING).join();
        Background<Boolean> first = tryingForAnHour();
        cell.advance(half);
        Background<Boolean> second = tryingForAnHour();
        cell.advance(half.plus(A_SECOND)); // the node looks at limits that are far away less often
        assertThat(first.result()).isFalse();
        Eventually.until("the second waits for the other node", () -> cell.node("a")
                .monitor()
                .status("lock:key")
                .filter(status -> status.state() == LeaseStatus.State.WAITING)
                .isPresent());
        cell.advance(half.minus(A_SECOND.multipliedBy(2)));
        assertThat(second.isDone()).isFalse();
        cell.advance(A_SECOND.multipliedBy(2));

        assertThat(second.result()).isFalse();
        elsewhere.release();
    }

    /** Nothing hangs only because nothing moves the clock. */
    @Test
    void aWaitForAnotherThreadEndsInRealTimeWhereTheClockStandsStill() throws Exception {
        lock.lock();
        assertThat(Background.start(() -> lock.tryLock(20, TimeUnit.MILLISECONDS))
                        .result())
                .isFalse();
        lock.unlock();
    }

    @Test
    void anIdleLockIsRetainedByTheCellsClock() {
        Duration retention = LockOptions.DEFAULT_IDLE_RETENTION;
        lock.lock();
        lock.unlock();
        cell.advance(retention.minus(A_LITTLE));
        assertThat(cell.node("a").monitor().heldLeases()).isOne();
        cell.advance(A_LITTLE);

        assertThat(cell.node("a").monitor().heldLeases()).isZero();
    }

    /** Works until the end of the test, whatever happens. */
    private LeaderElection ledByACandidateThatDoesNotFinish() throws InterruptedException {
        TestCandidate candidate = new TestCandidate().onGranted(leadership -> awaitFinish());
        LeaderElection election = LeaderElection.builder(cell.node("a"), "x").build(candidate);
        election.start();
        candidate.awaitGranted();
        return election;
    }

    private void awaitFinish() {
        while (finish.getCount() > 0) {
            try {
                finish.await();
            } catch (InterruptedException ignored) {
                // as careless code does
            }
        }
    }

    @Test
    void aStopThatWaitsForACandidateEndsAtItsLimit() throws Exception {
        LeaderElection election = ledByACandidateThatDoesNotFinish();
        CompletableFuture<Lease> next = cell.node("b").acquire("role:x", RENEWING);
        Background<Boolean> stopping = Background.start(() -> election.stop(HOUR));
        stopping.awaitBlockedIn("awaitAll");
        cell.advance(SHORTLY_BEFORE);
        stopping.awaitBlockedIn("awaitAll");
        assertThat(stopping.isDone()).isFalse();
        assertThat(next).isNotDone();
        cell.advance(A_LITTLE);

        assertThat(stopping.result()).isFalse();
        assertThat(next.join().isHeld()).isTrue();
    }

    @Test
    void aStopThatWaitsForACandidateEndsWithItToo() throws Exception {
        LeaderElection election = ledByACandidateThatDoesNotFinish();
        Background<Boolean> stopping = Background.start(() -> election.stop(HOUR));
        stopping.awaitBlockedIn("awaitAll");
        cell.advance(SHORTLY_BEFORE);
        finish.countDown();

        assertThat(stopping.result()).isTrue();
    }

    @Test
    void aGuardedCallKeepsTheLeaseForThirtySecondsAtMost() throws Exception {
        TestCandidate candidate = new TestCandidate();
        try (LeaderElection election =
                LeaderElection.builder(cell.node("a"), "x").build(candidate)) {
            election.start();
            candidate.awaitGranted();
            CompletableFuture<Lease> next = cell.node("b").acquire("role:x", RENEWING);
            try (GuardedCall call = election.enter(false).orElseThrow()) {
                election.resign();
                cell.advance(Duration.ofSeconds(30).minus(A_LITTLE));
                assertThat(next).isNotDone();
                assertThat(call.hasOutlivedItsLease()).isFalse();
                cell.advance(A_LITTLE);

                assertThat(next).isCompletedWithValueMatching(Lease::isHeld);
                assertThat(call.hasOutlivedItsLease()).isTrue();
            }
        }
    }
}
