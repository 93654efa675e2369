package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread has a lock and does not unlock it, while its lease ends, or when the thread itself does: the next thread, of its own node or
 * of another one, has the lock. What Spring Integration 2660 and Redisson 2590 tell: a lock with a time to live that barred its own process for
 * longer, and one that was renewed for a thread that was gone.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // a lock that is not unlocked is what is tested
class LeaseLockTakeoverTest {

    private static final Duration TTL = Duration.ofSeconds(2);
    /** Of the thread that comes: does not end while the clock moves until it has the lock. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final Duration STEP = Duration.ofMillis(500);
    private static final LockOptions OPTIONS =
            LockOptions.builder().idleRetention(Duration.ofHours(1)).build();

    private final InMemoryCell cell = InMemoryCell.of(Duration.ofSeconds(3), LONG, "a", "b", "c");
    private final PaxosLease a = cell.node("a");
    private final LeaseLocks locks = new LeaseLocks(a, OPTIONS);
    private final LeaseLock lock = locks.get("k");
    private final LeaseLock theirs = new LeaseLocks(cell.node("b"), OPTIONS).get("k");
    private final List<CountDownLatch> ends = new ArrayList<>();

    @AfterEach
    void close() {
        ends.forEach(CountDownLatch::countDown);
        cell.close();
    }

    private interface Way {
        boolean lock(LeaseLock lock) throws InterruptedException;
    }

    private static final Map<String, Way> WAYS_THAT_WAIT = Map.of(
            "lock()",
                    lock -> {
                        lock.lock();
                        return true;
                    },
            "lock(ttl)",
                    lock -> {
                        lock.lock(LONG);
                        return true;
                    },
            "lockInterruptibly()",
                    lock -> {
                        lock.lockInterruptibly();
                        return true;
                    },
            "tryLock(time)", lock -> lock.tryLock(1, TimeUnit.HOURS),
            "tryLock(wait, ttl)", lock -> lock.tryLock(Duration.ofHours(1), LONG));

    private static final Map<String, Way> WAYS_THAT_ASK_ONCE = Map.of(
            "tryLock()",
            LeaseLock::tryLock,
            "tryLock(0)",
            lock -> lock.tryLock(0, TimeUnit.SECONDS),
            "tryLock(0, ttl)",
            lock -> lock.tryLock(Duration.ZERO, LONG));

    static Stream<String> waysThatWait() {
        return WAYS_THAT_WAIT.keySet().stream().sorted();
    }

    static Stream<String> waysThatAskOnce() {
        return WAYS_THAT_ASK_ONCE.keySet().stream().sorted();
    }

    /** Another thread has locked it for a time, and does not unlock it. */
    private Background<Boolean> lockForATime() throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ends.add(end);
        Background<Boolean> owner = Background.start(() -> {
            lock.lock(TTL);
            locked.countDown();
            end.await();
            return lock.isHeldByCurrentThread();
        });
        locked.await();
        return owner;
    }

    /** Another thread has locked it, and is gone. */
    private void lockAndDie() throws InterruptedException {
        Thread thread = new Thread(lock::lock, "mayfly");
        thread.start();
        thread.join();
    }

    private Background<Boolean> waiting(String way) {
        Background<Boolean> waiting = Background.start(
                () -> Objects.requireNonNull(WAYS_THAT_WAIT.get(way)).lock(lock) && isUnlocked());
        waiting.awaitBlocked();
        return waiting;
    }

    private boolean isUnlocked() {
        boolean held = lock.isHeldByCurrentThread();
        lock.unlock();
        return held;
    }

    private boolean resultWhileTimePasses(Background<Boolean> waiting) throws Exception {
        Eventually.until("the thread has the lock", () -> {
            cell.advance(STEP);
            return waiting.isDone();
        });
        return waiting.result();
    }

    @ParameterizedTest
    @MethodSource("waysThatWait")
    void aThreadThatWaitsHasTheLockWhenTheTimeOfItsOwnerIsOver(String way) throws Exception {
        Background<Boolean> owner = lockForATime();
        assertThat(resultWhileTimePasses(waiting(way))).isTrue();
        assertThat(owner.isDone()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("waysThatWait")
    void aThreadThatWaitsHasTheLockWhenItsOwnerHasEnded(String way) throws Exception {
        CountDownLatch die = new CountDownLatch(1);
        Background<Boolean> owner = Background.start(() -> {
            lock.lock();
            die.await();
            return true;
        });
        owner.awaitBlocked();
        Background<Boolean> waiting = waiting(way);
        cell.advance(Duration.ofSeconds(20));
        assertThat(waiting.isDone()).isFalse();
        die.countDown();
        assertThat(resultWhileTimePasses(waiting)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("waysThatAskOnce")
    void aThreadThatComesAfterTheTimeOfAnOwnerHasTheLock(String way) throws Exception {
        Background<Boolean> owner = lockForATime();
        assertThat(Objects.requireNonNull(WAYS_THAT_ASK_ONCE.get(way)).lock(lock))
                .isFalse();
        cell.advance(TTL.multipliedBy(2));
        assertThat(Objects.requireNonNull(WAYS_THAT_ASK_ONCE.get(way)).lock(lock))
                .isTrue();
        assertThat(isUnlocked()).isTrue();
        assertThat(owner.isDone()).isFalse();
    }

    /** Without any time that passes. */
    @ParameterizedTest
    @MethodSource("waysThatAskOnce")
    void aThreadThatComesAfterTheEndOfAnOwnerHasTheLockAndItIsLogged(String way) throws Exception {
        lockAndDie();
        try (LogCapture log = LogCapture.of(LockLease.class)) {
            assertThat(Objects.requireNonNull(WAYS_THAT_ASK_ONCE.get(way)).lock(lock))
                    .isTrue();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Thread 'mayfly' has ended without unlocking the lock at k: the lease is released");
        }
        assertThat(isUnlocked()).isTrue();
    }

    /** A dead thread's lock is not renewed for it, and no thread of its node has to come by. */
    @Test
    void anotherNodeHasTheLockOfAThreadThatHasEnded() throws Exception {
        lockAndDie();
        Background<Boolean> waiting = Background.start(() -> {
            theirs.lock();
            return theirs.isHeldByCurrentThread();
        });
        waiting.awaitBlocked();
        assertThat(resultWhileTimePasses(waiting)).isTrue();
        assertThat(a.monitor().heldLeases()).isZero();
    }

    @Test
    void theLockOfAThreadThatHasEndedIsForgotten() throws Exception {
        lockAndDie();
        Thread late = new Thread(() -> locks.get("late").lock(TTL));
        late.start();
        late.join();
        cell.advance(TTL.multipliedBy(2));
        assertThat(a.monitor().heldLeases()).isZero();
        Eventually.until("it is forgotten", () -> {
            locks.expireUnusedOlderThan(Duration.ZERO);
            System.gc();
            return locks.reference("late") == null;
        });
    }

    /** Its calls answer as for any lost lock, even when another thread has the lock by then. */
    @Test
    void theFormerOwnerIsToldAndDoesNotTouchTheNextOne() throws Exception {
        lock.lock(TTL);
        lock.lock();
        long token = lock.fencingToken();
        cell.advance(TTL.multipliedBy(2));
        CountDownLatch goOn = new CountDownLatch(1);
        ends.add(goOn);
        Background<Boolean> next = Background.start(() -> {
            lock.lock();
            lock.lock();
            goOn.await();
            lock.unlock();
            return isUnlocked();
        });
        Eventually.until("the next has the lock", () -> a.monitor().heldLeases() == 1);
        next.awaitBlocked();

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.remaining()).isZero();
        assertThat(lock.fencingToken()).isEqualTo(token);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::renew);
        lock.unlock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).isFalse();
        goOn.countDown();
        assertThat(next.result()).isTrue();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.fencingToken()).isGreaterThan(token);
        lock.unlock();
    }

    /** The object that was locked is garbage; the hold, also one that has ended, is the thread's and the key's. */
    @Test
    void aHoldThatHasEndedIsFoundAgainWithoutItsObject() throws Exception {
        locks.get("other").lock(TTL);
        cell.advance(TTL.multipliedBy(2));
        assertThat(Background.start(() -> locks.get("other").tryLock(Duration.ZERO, TTL))
                        .result())
                .isTrue();
        cell.advance(TTL.multipliedBy(2));
        System.gc();
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> locks.get("other").unlock());
        cell.advance(STEP.multipliedBy(2));
        Eventually.until("it is forgotten", () -> {
            locks.expireUnusedOlderThan(Duration.ZERO);
            System.gc();
            return locks.reference("other") == null;
        });
    }

    /** A thread was on its way in with a retained lease that had ended, as another one looked: it has the lock, and the other one has not. */
    @Test
    void aHoldThatBeginsWhenTheLeaseIsClosedIsOneAndRetainsNothing() throws Exception {
        KeyLock key = (KeyLock) lock;
        lock.lock();
        LockLease old = key.entry();
        assertThat(key.replace(old)).isTrue();
        old.mutex.open();

        assertThat(Background.start(lock::tryLock).result()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(isUnlocked()).isTrue();
        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(Background.start(() -> lock.tryLock() && isUnlocked()).result())
                .isTrue();
    }

    /** The lease was asked for on behalf of a thread, which gets the mutex when it is of no use any more. */
    @Test
    void aThreadThatIsTooLateForItsTermLeavesNoLeaseBehind() throws Exception {
        KeyLock key = (KeyLock) lock;
        lock.lock();
        LockLease old = key.entry();
        CountDownLatch goOn = new CountDownLatch(1);
        ends.add(goOn);
        Background<Boolean> late = Background.start(() -> {
            old.mutex.lock();
            goOn.await();
            return old.isEntered();
        });
        late.awaitBlocked();
        Background<Boolean> other = Background.start(() -> {
            theirs.lock();
            theirs.unlock();
            return true;
        });
        other.awaitBlocked();
        cell.advance(STEP);
        lock.unlock(); // asks for the next lease at once
        Eventually.until("the late thread has the mutex", old.mutex::isHeld);
        assertThat(resultWhileTimePasses(other)).isTrue();
        Eventually.until("the lease is there for the late thread", () -> {
            cell.advance(STEP);
            return a.monitor().heldLeases() == 1;
        });
        assertThat(key.replace(old)).isTrue();
        old.mutex.open();
        goOn.countDown();

        assertThat(late.result()).isFalse();
        assertThat(a.monitor().heldLeases()).isZero();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    /** The node's thread is busy, a thread that gives the lock up waits for it, and the node's thread comes to the same lock. */
    @Test
    void theNodesThreadDoesNotWaitForAThreadThatGivesTheLockUp() throws Exception {
        lockAndDie();
        LockLease old = ((KeyLock) lock).entry();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ends.add(goOn);
        cell.denyAcquiring("a", resource -> {
            if (resource.equals("busy") && goOn.getCount() > 0) {
                busy.countDown();
                awaitUninterruptibly(goOn);
                old.closeIfAbandoned();
                locks.expireUnusedOlderThan(Duration.ZERO);
            }
            return false;
        });
        Background<Object> asking = Background.start(() -> a.acquire("busy", AcquireOptions.renewing()));
        busy.await();
        Background<Boolean> next = Background.start(() -> lock.tryLock() && isUnlocked());
        next.awaitBlocked();
        goOn.countDown();

        assertThat(next.result()).isTrue();
        asking.result();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All at once, while the clock moves. */
    @Test
    void manyThreadsComeForTheLocksOfThreadsThatHaveEnded() throws Exception {
        for (int round = 0; round < 20; round++) {
            lockAndDie();
            List<Background<Boolean>> threads = new ArrayList<>();
            for (String way : WAYS_THAT_WAIT.keySet()) {
                threads.add(Background.start(
                        () -> Objects.requireNonNull(WAYS_THAT_WAIT.get(way)).lock(lock) && isUnlocked()));
            }
            for (Background<Boolean> thread : threads) {
                assertThat(resultWhileTimePasses(thread)).isTrue();
            }
        }
    }
}
