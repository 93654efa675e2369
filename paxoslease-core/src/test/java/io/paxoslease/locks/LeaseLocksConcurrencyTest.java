package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import io.paxoslease.node.LateGrant;
import io.paxoslease.shell.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks among the threads of one node. */
@Tag("slow")
@Tag("jdk")
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLocksConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final Duration TTL = Duration.ofSeconds(1);

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final PaxosLease node = HandEnvironment.node(clock, message -> {});
    private final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
    private final AtomicInteger inside = new AtomicInteger();
    private final List<Long> tokens = new ArrayList<>();

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        race.close();
        node.stop();
    }

    @Test
    void atMostOneThreadIsInside() throws InterruptedException {
        Race.Part user = () -> {
            LeaseLock lock = locks.get("k");
            lock.lock();
            enterAndLeave(lock);
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, user, user);
        }
        assertThat(tokens).hasSize(3 * ROUNDS);
        assertThatTokensNeverDecrease();
    }

    @Test
    void everyHoldHasALeaseOfItsOwnWhereNoneIsKept() throws InterruptedException {
        LeaseLocks unkept = new LeaseLocks(
                node, LockOptions.builder().idleRetention(Duration.ZERO).build());
        Race.Part user = () -> {
            LeaseLock lock = unkept.get("k");
            lock.lock();
            enterAndLeave(lock);
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, user, user);
        }
        assertThat(tokens).hasSize(3 * ROUNDS).isSorted().doesNotHaveDuplicates();
    }

    /**
     * Somebody wants the lease, and whoever frees the lock is about to keep it: one of them has to see the other, or it is kept
     * for ever, as no timer fires here.
     */
    @Test
    void aLeaseThatIsWantedIsNotKept() throws InterruptedException {
        LeaseLock lock = locks.get("k");
        for (int round = 0; round < 3 * ROUNDS; round++) {
            race.run(
                    () -> {
                        for (int i = 0; i < 3; i++) {
                            lock.lock();
                            lock.unlock();
                        }
                    },
                    () -> node.tryAcquire("lock:k", AcquireOptions.renewing())
                            .orElseThrow()
                            .release());
        }
        lock.lock();
        enterAndLeave(lock);
    }

    /** Threads come and go; whoever forgets the lock gives its lease up, and never one that is in use. */
    @Test
    void forgettingKeptLocksMeetsLockAndUnlock() throws InterruptedException {
        LeaseLock old = locks.get("k");
        Race.Part user = () -> {
            for (int i = 0; i < 20; i++) {
                old.lock();
                enterAndLeave(old);
            }
        };
        Race.Part forget = () -> {
            for (int i = 0; i < 20; i++) {
                locks.expireUnusedOlderThan(Duration.ZERO);
            }
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, forget, user, forget);
        }
        assertThatTokensNeverDecrease();
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(node.monitor().heldLeases()).isZero();
    }

    /** The check is made when the thread runs again, not when the lease was granted. */
    @Test
    void aLeaseThatEndedBeforeItsThreadRanIsNoLock() {
        assertThat(new LateGrant().get()).isEmpty();
    }

    @Test
    void nestedHoldsKeepOthersOutUntilTheLastOneEnds() throws InterruptedException {
        Race.Part user = () -> {
            LeaseLock lock = locks.get("k");
            lock.lock();
            long token = lock.fencingToken();
            lock.lockInterruptibly();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            lock.unlock();
            assertThat(lock.fencingToken()).isEqualTo(token);
            enterAndLeave(lock);
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, user);
        }
        assertThatTokensNeverDecrease();
    }

    @Test
    void whoeverAsksOnceOrForAWhileIsLetInAloneOrNotAtAll() throws InterruptedException {
        AtomicInteger taken = new AtomicInteger();
        for (int round = 0; round < ROUNDS; round++) {
            race.run(
                    () -> enterIf(locks.get("k").tryLock(), taken),
                    () -> enterIf(locks.get("k").tryLock(1, TimeUnit.MILLISECONDS), taken),
                    () -> enterIf(locks.get("k").tryLock(Duration.ZERO, TTL), taken));
        }
        assertThat(tokens).hasSize(taken.get());
        assertThatTokensNeverDecrease();
    }

    /** Forgetting unused locks never splits one in two, and never takes one away that is about to be used. */
    @Test
    void forgettingUnusedLocksMeetsLockAndUnlock() throws InterruptedException {
        Race.Part user = () -> {
            LeaseLock lock = locks.get("k");
            lock.lock();
            assertThat(locks.get("k").isHeldByCurrentThread()).isTrue();
            enterAndLeave(lock);
        };
        Race.Part forget = () -> {
            for (int i = 0; i < 20; i++) {
                locks.expireUnusedOlderThan(Duration.ZERO);
            }
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, forget, user);
        }
        assertThatTokensNeverDecrease();
    }

    /** Row 32: a nested lock looks at the lease when it is asked for, not at what an earlier lock saw. */
    @Test
    void aNestedLockIsGrantedOnlyIfTheLeaseHeldWhenItWasAskedFor() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            CountDownLatch locked = new CountDownLatch(1);
            AtomicBoolean ended = new AtomicBoolean();
            race.run(
                    () -> {
                        LeaseLock lock = locks.get("k");
                        lock.lock(TTL);
                        locked.countDown();
                        boolean endedBefore = ended.get();
                        boolean granted = locksAgain(lock);
                        assertThat(endedBefore && granted).isFalse();
                        unlockInTimeOrNot(lock);
                    },
                    () -> {
                        locked.await();
                        clock.advance(TTL.toNanos());
                        ended.set(true);
                    });
        }
    }

    @Test
    void aLockWhoseLeaseEndedWhileHeldSaysSoAndIsFreeAgain() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            LeaseLock lock = locks.get("k");
            lock.lock(TTL);
            clock.advance(TTL.toNanos());
            Race.Part user = () -> {
                lock.lock();
                enterAndLeave(lock);
            };
            race.run(user, user);
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
            race.run(user, user);
        }
        assertThatTokensNeverDecrease();
    }

    /** Whether a nested lock was granted; it is unlocked again. */
    private static boolean locksAgain(LeaseLock lock) {
        try {
            lock.lock();
        } catch (LeaseLostException lost) {
            return false;
        }
        lock.unlock();
        return true;
    }

    private static void unlockInTimeOrNot(LeaseLock lock) {
        try {
            lock.unlock();
        } catch (LeaseLostException lost) {
            // The lease may have ended at any time.
        }
    }

    private void enterIf(boolean locked, AtomicInteger taken) {
        if (locked) {
            taken.incrementAndGet();
            enterAndLeave(locks.get("k"));
        }
    }

    /** The list of tokens is guarded by nothing but the lock. */
    private void enterAndLeave(LeaseLock lock) {
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        tokens.add(lock.fencingToken());
        assertThat(inside.decrementAndGet()).isZero();
        lock.unlock();
    }

    private void assertThatTokensNeverDecrease() {
        assertThat(tokens).isSorted();
    }
}
