package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract of every registry on locking, unlocking and waiting. {@link LeasedLockContract} is about time. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
abstract class LockRegistryContract extends RegistryContract {

    @Test
    @DisplayName("R1")
    void aKeyInUseIsOneObjectAndAnotherKeyIsAnother() {
        LockRegistry<?> registry = registry(0);
        Lock lock = registry.obtain("a");
        assertThat(registry.obtain("a")).isSameAs(lock);
        assertThat(registry.obtain("b")).isNotSameAs(lock);
        lock.lock();
        assertThat(registry.obtain("a")).isSameAs(lock);
        lock.unlock();
    }

    @Test
    @DisplayName("R2")
    void aLockIsFreeWhenItWasUnlockedAsOftenAsLocked() throws Exception {
        Lock lock = lock(0);
        Lock elsewhere = lock(1);
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(actor().asks(() -> elsewhere.tryLock())).isFalse();
            lock.unlock();
        }
        assertThat(actor().asks(() -> takesAndLeaves(elsewhere))).isTrue();
    }

    @Test
    @DisplayName("R3")
    void aSecondThreadNeitherGetsTheLockNorUnlocksIt() throws Exception {
        Lock lock = lock(0);
        lock.lock();
        Actor other = actor();
        assertThat(other.asks(() -> lock.tryLock(200, TimeUnit.MILLISECONDS))).isFalse();
        assertUnlockRefused(other, lock);
        lock.unlock();
    }

    private void assertUnlockRefused(Actor stranger, Lock lock) {
        ThrowableAssertAlternative<?> refusal = assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stranger.does(lock::unlock))
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        if (!differs(Difference.SILENT_REFUSAL)) {
            refusal.withMessageContaining("own");
        }
    }

    @Test
    @DisplayName("R4")
    void aWaiterGetsTheLockAfterTheUnlock() throws Exception {
        Lock lock = lock(0);
        lock.lock();
        Actor waiter = actor();
        Future<?> waiting = waiter.begins(lock::lock);
        assertThat(actor().asks(() -> lock.tryLock(100, TimeUnit.MILLISECONDS))).isFalse();
        assertThat(waiting.isDone()).isFalse();
        lock.unlock();
        Actor.done(waiting);
        waiter.does(lock::unlock);
    }

    @Test
    @DisplayName("R5")
    void aWaiterOfAnotherNodeGetsTheLockAfterTheUnlockAHundredTimes() throws Exception {
        Lock[] locks = {lock(0), lock(1), lock(2)};
        Actor[] threads = {actor(), actor(), actor()};
        threads[0].does(locks[0]::lock);
        for (int i = 0; i < 100; i++) {
            int next = (i + 1) % 3;
            Future<?> waiting = threads[next].begins(locks[next]::lock);
            assertThat(threads[(i + 2) % 3].asks(() -> locks[next].tryLock())).isFalse();
            threads[i % 3].does(locks[i % 3]::unlock);
            Actor.done(waiting);
        }
        threads[100 % 3].does(locks[100 % 3]::unlock);
    }

    @Test
    @DisplayName("R6")
    void anUnlockByAnotherThreadHasNoEffect() throws Exception {
        Lock lock = lock(0);
        Lock elsewhere = lock(1);
        lock.lock();
        assertUnlockRefused(actor(), lock);
        assertUnlockRefused(actor(), elsewhere);
        assertThat(actor().asks(() -> elsewhere.tryLock(100, TimeUnit.MILLISECONDS)))
                .isFalse();
        lock.unlock();
        assertThat(actor().asks(() -> takesAndLeaves(elsewhere))).isTrue();
    }

    @Test
    @DisplayName("R13")
    void anUnlockLetsOneOfTwoWaitersIn() throws Exception {
        Lock lock = lock(0);
        Lock elsewhere = lock(1);
        AtomicInteger in = new AtomicInteger();
        Actor[] waiters = {actor(), actor()};
        lock.lock();
        for (Actor waiter : waiters) {
            waiter.begins(() -> {
                elsewhere.lock();
                in.incrementAndGet();
            });
        }
        lock.unlock();
        await().until(() -> in.get() > 0);
        assertThat(actor().asks(() -> elsewhere.tryLock(200, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThat(in).hasValue(1);
        for (Actor waiter : waiters) {
            waiter.begins(elsewhere::unlock);
        }
        await().untilAtomic(in, is(2));
    }

    @Test
    @DisplayName("R16")
    void forgettingUnusedLocksNeverTakesOneThatIsInUse() throws Exception {
        assumeNot(Difference.NEVER_FORGETS);
        LockRegistry<?> registry = registry(0);
        int[] entered = new int[1];
        Future<?>[] users = new Future<?>[3];
        for (int i = 0; i < users.length; i++) {
            users[i] = actor().begins(() -> {
                for (int round = 0; round < 50; round++) {
                    Lock lock = registry.obtain(key);
                    lock.lock();
                    if (!differs(Difference.FORGETS_WHAT_IS_ONLY_OBTAINED)) {
                        assertThat(registry.obtain(key)).isEqualTo(lock);
                    }
                    entered[0]++;
                    lock.unlock();
                }
            });
        }
        for (Future<?> user : users) {
            while (!user.isDone()) {
                forgetUnused(registry);
            }
            Actor.done(user);
        }
        assertThat(entered[0]).isEqualTo(150);
    }

    @Test
    @DisplayName("R17")
    void anInterruptedThreadUnlocksAndKeepsItsFlag() throws Exception {
        Lock lock = lock(0);
        Lock elsewhere = lock(1);
        boolean flag = actor().asks(() -> {
            lock.lock();
            Thread.currentThread().interrupt();
            lock.unlock();
            return Thread.interrupted();
        });
        assertThat(flag).isTrue();
        assertThat(actor().asks(() -> takesAndLeaves(elsewhere))).isTrue();
    }

    @Test
    @DisplayName("R19")
    void tasksRunUnderTheLock() throws Exception {
        LockRegistry<?> registry = registry(0);
        Lock elsewhere = lock(1);
        String answer = registry.<String, Exception>executeLocked(
                key, () -> "free elsewhere: " + actor().asks(() -> elsewhere.tryLock()));
        assertThat(answer).isEqualTo("free elsewhere: false");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> registry.executeLocked(key, Duration.ofSeconds(20), () -> {
                    throw new IOException("disk");
                }))
                .withMessage("disk");
        actor().does(elsewhere::lock);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> registry.executeLocked(key, Duration.ofMillis(50), () -> {}))
                .withMessage("The lock [%s] was not acquired in time: PT0.05S".formatted(key));
    }

    @Test
    @DisplayName("R20")
    void thereAreNoConditionsAndKeysAreStrings() {
        LockRegistry<?> registry = registry(0);
        if (differs(Difference.CONDITIONS)) {
            assertThat(registry.obtain(key).newCondition()).isNotNull();
        } else {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> registry.obtain(key).newCondition());
        }
        if (differs(Difference.ANY_KEY)) {
            assertThat(registry.obtain(42)).isNotNull();
        } else {
            assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(42));
        }
    }
}
