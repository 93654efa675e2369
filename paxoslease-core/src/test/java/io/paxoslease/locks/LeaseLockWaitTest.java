package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Futures;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How threads wait for a lock, with and without a limit, and what interrupts do to them. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLockWaitTest {

    private static final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private static final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());

    private final String key = "key-" + UUID.randomUUID();
    private final LeaseLock lock = locks.get(key);

    @BeforeAll
    static void start() {
        node.start();
    }

    @AfterAll
    static void stop() {
        node.stop();
    }

    @Test
    void tryLockDoesNotWait() throws Exception {
        lock.lock();
        assertThat(inAnotherThread(() -> lock.tryLock())).isFalse();
        assertThat(inAnotherThread(() -> lock.tryLock(0, TimeUnit.SECONDS))).isFalse();
        assertThat(inAnotherThread(() -> lock.tryLock(-1, TimeUnit.SECONDS))).isFalse();
        assertThat(inAnotherThread(() -> lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)))
                .isFalse();
        lock.unlock();
    }

    @Test
    void tryLockWaitsAsLongAsAskedFor() throws Exception {
        lock.lock();
        long start = System.nanoTime();
        assertThat(inAnotherThread(() -> lock.tryLock(100, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(100));
        lock.unlock();
    }

    /** First for another thread here, then for another node: both out of the same time. */
    @Test
    void tryLockWaitsNoLongerForHavingWaitedTwice() throws Exception {
        Lease elsewhere = Futures.get(node.acquire("lock:" + key, AcquireOptions.renewing()));
        Background<Boolean> first = Background.start(() -> lock.tryLock(2_000, TimeUnit.MILLISECONDS));
        first.awaitBlocked();
        long start = System.nanoTime();
        assertThat(inAnotherThread(() -> lock.tryLock(2_200, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MILLISECONDS.toNanos(4_000));
        assertThat(first.result()).isFalse();
        elsewhere.release();
    }

    @Test
    void tryLockWaitsForEverIfAskedFor() throws Exception {
        for (TimeUnit unit : TimeUnit.values()) {
            lock.lock();
            Background<Boolean> waiting = Background.start(() -> lock.tryLock(Long.MAX_VALUE, unit) && unlocked(lock));
            waiting.awaitBlocked();
            lock.unlock();
            assertThat(waiting.result()).isTrue();
        }
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(1)))
                .isTrue();
        lock.unlock();
    }

    @Test
    void anUnlockLetsAWaitingThreadInOnTheSameLease() throws Exception {
        lock.lock();
        long token = lock.fencingToken();
        Background<Long> waiting = Background.start(() -> tokenOfAHold(lock));
        waiting.awaitBlocked();
        lock.unlock();

        assertThat(waiting.result()).isEqualTo(token);
    }

    @Test
    void anUnlockLetsAWaitingThreadInOnALeaseOfItsOwnWhereNoneIsKept() throws Exception {
        LeaseLock unkept = new LeaseLocks(
                        node, LockOptions.builder().idleRetention(Duration.ZERO).build())
                .get(key);
        unkept.lock();
        long token = unkept.fencingToken();
        Background<Long> waiting = Background.start(() -> tokenOfAHold(unkept));
        waiting.awaitBlocked();
        unkept.unlock();

        assertThat(waiting.result()).isGreaterThan(token);
    }

    private static long tokenOfAHold(LeaseLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }

    @Test
    void lockKeepsWaitingThroughAnInterruptAndKeepsTheFlag() throws Exception {
        lock.lock();
        Background<Boolean> waiting = Background.start(() -> {
            lock.lock();
            boolean interrupted = Thread.currentThread().isInterrupted();
            lock.unlock();
            return interrupted && Thread.currentThread().isInterrupted();
        });
        waiting.awaitBlocked();
        waiting.interrupt();
        waiting.awaitBlocked();
        assertThat(waiting.isDone()).isFalse();
        lock.unlock();

        assertThat(waiting.result()).isTrue();
    }

    /** Here the thread has the local lock already and waits for the lease, which another user of the node holds. */
    @Test
    void lockKeepsWaitingForTheLeaseThroughInterrupts() throws Exception {
        Lease lease = Futures.get(node.acquire("lock:" + key, AcquireOptions.renewing()));
        Background<Boolean> waiting = Background.start(() -> {
            lock.lock();
            boolean interrupted = Thread.currentThread().isInterrupted();
            return unlocked(lock) && interrupted;
        });
        for (int i = 0; i < 10; i++) {
            waiting.awaitBlocked();
            waiting.interrupt();
        }
        waiting.awaitBlocked();
        assertThat(waiting.isDone()).isFalse();
        lease.release();

        assertThat(waiting.result()).isTrue();
    }

    @Test
    void lockWorksInAnInterruptedThread() throws Exception {
        assertThat(inAnotherThread(() -> {
                    Thread.currentThread().interrupt();
                    lock.lock();
                    boolean held = lock.isHeldByCurrentThread();
                    lock.unlock();
                    return held && Thread.currentThread().isInterrupted();
                }))
                .isTrue();
    }

    @Test
    void unlockWorksInAnInterruptedThread() throws Exception {
        assertThat(inAnotherThread(() -> {
                    lock.lock();
                    Thread.currentThread().interrupt();
                    lock.unlock();
                    return Thread.currentThread().isInterrupted();
                }))
                .isTrue();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void anInterruptEndsTheWaitOfLockInterruptibly() throws Exception {
        lock.lock();
        Background<Boolean> waiting = Background.start(() -> {
            lock.lockInterruptibly();
            return true;
        });
        waiting.awaitBlocked();
        waiting.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseExactlyInstanceOf(InterruptedException.class);
        lock.unlock();
        assertThat(inAnotherThread(() -> lock.tryLock() && unlocked(lock))).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitOfTryLock() throws Exception {
        lock.lock();
        Background<Boolean> waiting = Background.start(() -> lock.tryLock(1, TimeUnit.HOURS));
        waiting.awaitBlocked();
        waiting.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseExactlyInstanceOf(InterruptedException.class);
        lock.unlock();
        assertThat(inAnotherThread(() -> lock.tryLock() && unlocked(lock))).isTrue();
    }

    @Test
    void tryLockWorksInAnInterruptedThreadAndKeepsTheFlag() throws Exception {
        assertThat(inAnotherThread(() -> {
                    Thread.currentThread().interrupt();
                    return lock.tryLock() && Thread.currentThread().isInterrupted() && unlocked(lock);
                }))
                .isTrue();
        lock.lock();
        assertThat(inAnotherThread(() -> {
                    Thread.currentThread().interrupt();
                    return !lock.tryLock() && Thread.currentThread().isInterrupted();
                }))
                .isTrue();
        lock.unlock();
    }

    @Test
    void tryLockWithATimeIsInterrupted() {
        for (long millis : new long[] {0, 1_000}) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> inAnotherThread(() -> {
                        Thread.currentThread().interrupt();
                        return lock.tryLock(millis, TimeUnit.MILLISECONDS);
                    }))
                    .withCauseExactlyInstanceOf(InterruptedException.class);
        }
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    private static boolean unlocked(LeaseLock held) {
        held.unlock();
        return true;
    }

    private static <T> T inAnotherThread(Callable<T> code) throws Exception {
        return Background.start(code).result();
    }
}
