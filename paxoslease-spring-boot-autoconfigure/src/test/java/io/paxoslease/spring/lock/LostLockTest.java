package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.hamcrest.Matchers.is;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.locks.LockOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the holder of a lock of the registry notices its loss; over a cell of one. */
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class LostLockTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("n1").build());
    private final PaxosLeaseLockRegistry registry = new PaxosLeaseLockRegistry(node);
    private final AtomicInteger told = new AtomicInteger();

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void theHolderIsToldOfALossAndMayUnwindAndLockAfresh() {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock(Duration.ofSeconds(1)); // long enough for the next call
        lock.lock();
        lock.onLost(told::incrementAndGet);
        await().untilAtomic(told, is(1));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::tryLock);
        lock.unlock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);

        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(told).hasValue(1);
    }

    @Test
    void whoDoesNotHoldTheLockIsNotTold() {
        PaxosLeaseLock lock = registry.obtain("a");
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.onLost(told::incrementAndGet))
                .withMessage("You do not own lock at a");
    }

    @Test
    void aTaskUnderALockThatIsLostEndsWithTheLoss() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> registry.executeLocked("a", () -> node.stop()));
    }

    /** It waits for an event that does not come; its caller sees the exception of the unlock. */
    @Test
    void aTaskThatBlocksIsInterruptedIfAskedFor() {
        PaxosLeaseLockRegistry interrupting = new PaxosLeaseLockRegistry(
                node,
                LockOptions.builder().leaseTime(SHORT).interruptOnLoss(true).build());
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> interrupting.executeLocked("a", () -> new CountDownLatch(1).await()));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** The object that was locked is garbage; the hold is the thread's and the key's. */
    @Test
    void aHeldLockIsFoundAgainWithoutItsObject() {
        registry.obtain("a").lock();
        System.gc();
        registry.expireUnusedOlderThan(0);
        assertThat(registry.obtain("a").isHeldByCurrentThread()).isTrue();
        registry.obtain("a").unlock();
        assertThat(registry.obtain("a").isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aTimeToLiveOfTheRegistryAboveTheMaximumIsRefused() {
        LockOptions tooLong =
                LockOptions.builder().leaseTime(Duration.ofSeconds(6)).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PaxosLeaseLockRegistry(node, tooLong))
                .withMessageContaining("raise maxLeaseTime");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().leaseTime(Duration.ZERO).build());
    }

    private static ConditionFactory await() {
        return Awaitility.await().pollInSameThread();
    }
}
