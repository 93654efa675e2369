package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Locks of the registry that are not unlocked: after their time to live, and when their thread has ended, they are free, for the threads of
 * the same instance, too (Spring Integration 2660, Redisson 2590).
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // a lock that is not unlocked is what is tested
class LockTakeoverTest {

    private static final Duration TTL = Duration.ofSeconds(2);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final PaxosLeaseLockRegistry registry = registry("a");
    private final PaxosLeaseLockRegistry elsewhere = registry("b");

    @AfterEach
    void close() {
        cell.close();
    }

    private PaxosLeaseLockRegistry registry(String id) {
        PaxosLease node = cell.node(id);
        return new PaxosLeaseLockRegistry(node);
    }

    /** Whether another thread gets the lock within minutes of the cell's time. */
    private void awaitUse(PaxosLeaseLockRegistry by) {
        CompletableFuture<Boolean> used = CompletableFuture.supplyAsync(() -> {
            PaxosLeaseLock lock = by.obtain("k");
            lock.lock();
            boolean held = lock.isHeldByCurrentThread();
            lock.unlock();
            return held;
        });
        Awaitility.await().until(() -> {
            cell.advance(Duration.ofMillis(500));
            return used.isDone();
        });
        assertThat(used).isCompletedWithValue(true);
    }

    private void lockInAThreadThatEnds() throws InterruptedException {
        Thread thread = new Thread(() -> registry.obtain("k").lock());
        thread.start();
        thread.join();
    }

    @Test
    void aTimeToLiveThatIsOverFreesTheLockForTheSameInstanceAndForOthers() {
        PaxosLeaseLock lock = registry.obtain("k");
        lock.lock(TTL);
        awaitUse(registry);
        awaitUse(elsewhere);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        awaitUse(registry);
    }

    @Test
    void theEndOfItsThreadFreesTheLockForTheSameInstance() throws InterruptedException {
        lockInAThreadThatEnds();
        awaitUse(registry);
    }

    @Test
    void theEndOfItsThreadFreesTheLockForOtherInstances() throws InterruptedException {
        lockInAThreadThatEnds();
        awaitUse(elsewhere);
        assertThat(cell.node("a").monitor().heldLeases()).isZero();
    }
}
