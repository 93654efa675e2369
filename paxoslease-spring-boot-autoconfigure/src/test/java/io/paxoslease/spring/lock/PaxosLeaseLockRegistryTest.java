package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.locks.LockOptions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Over a cell of one. */
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class PaxosLeaseLockRegistryTest {

    /** To be waited for. */
    private static final Duration SHORT = Duration.ofMillis(500);

    /** Outlasts a pause of a busy machine. */
    private static final Duration LONG = Duration.ofSeconds(1);

    private final PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("n1")
            .leaseTime(LONG)
            .maxLeaseTime(Duration.ofSeconds(2))
            .build());
    private final PaxosLeaseLockRegistry registry = new PaxosLeaseLockRegistry(node);
    private final ExecutorService otherThread = Executors.newSingleThreadExecutor();

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() throws Exception {
        otherThread.shutdownNow();
        assertThat(otherThread.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        registry.destroy();
        node.stop();
    }

    @Test
    void oneKeyIsOneObjectAndTwoKeysAreTwo() {
        Lock lock = registry.obtain("a");
        assertThat(registry.obtain("a")).isSameAs(lock);
        assertThat(registry.obtain("b")).isNotSameAs(lock);
        registry.expireUnusedOlderThan(0);
        assertThat(registry.obtain("a")).isSameAs(lock);
    }

    @Test
    void locksNeedAsManyUnlocks() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(inOtherThread(() -> lock.tryLock(0, TimeUnit.SECONDS))).isFalse();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(inOtherThread(() -> lock.tryLock(20, TimeUnit.SECONDS))).isTrue();
    }

    @Test
    void anotherThreadNeitherGetsTheLockNorUnlocksIt() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock();
        assertThat(inOtherThread(() -> lock.tryLock(200, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inOtherThread(() -> {
                    lock.unlock();
                    return null;
                }))
                .withCauseInstanceOf(IllegalMonitorStateException.class)
                .withMessageContaining("You do not own lock at a");
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void aWaiterGetsTheLockAfterTheUnlock() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock();
        CountDownLatch asking = new CountDownLatch(1);
        Future<Boolean> waiter = otherThread.submit(() -> {
            asking.countDown();
            return lock.tryLock(20, TimeUnit.SECONDS);
        });
        assertThat(asking.await(20, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        assertThat(waiter.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aLockWithoutATimeToLiveIsRenewed() {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock();
        await().until(() -> node.monitor().status("lock:a").orElseThrow().renewals() >= 3);
        assertThat(lock.remaining()).isPositive();
        lock.unlock();
    }

    @Test
    void aTimeToLiveEndsTheHoldAndTheThreadMayLockAfresh() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock(SHORT);
        assertThat(lock.remaining()).isLessThanOrEqualTo(SHORT);
        long token = lock.fencingToken();
        awaitEnd(lock);
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .isInstanceOf(LeaseLostException.class);

        assertThat(lock.tryLock(Duration.ofSeconds(20), LONG)).isTrue();
        assertThat(lock.fencingToken()).isGreaterThan(token);
        lock.unlock();
    }

    @Test
    void aRegistryMayHaveATimeToLiveOfItsOwn() {
        PaxosLeaseLockRegistry fixed = new PaxosLeaseLockRegistry(
                node, LockOptions.builder().leaseTime(SHORT).build());
        PaxosLeaseLock lock = fixed.obtain("a");
        lock.lock();
        awaitEnd(lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void onlyTheOwnerRenewsALock() {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock(LONG);
        registry.renewLock("a", Duration.ofSeconds(2));
        assertThat(lock.remaining()).isGreaterThan(LONG);
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> registry.renewLock("a"));
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> registry.renewLock("b", SHORT));
    }

    @Test
    void aLostLockIsNotRenewed() {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock(SHORT);
        awaitEnd(lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> registry.renewLock("a"));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aTimeToLiveOutOfBoundsIsRefusedAndNamesTheProperty() {
        PaxosLeaseLock lock = registry.obtain("a");
        for (Duration ttl : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(3)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lock.lock(ttl))
                    .withMessageContaining("'a'")
                    .withMessageContaining("at most PT2S, not " + ttl)
                    .withMessageContaining("paxoslease.max-lease-time");
            assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ZERO, ttl));
            assertThatIllegalArgumentException().isThrownBy(() -> registry.renewLock("a", ttl));
        }
    }

    @Test
    void aKeyThatIsNoStringIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain(42))
                .withMessageContaining("must be a String")
                .withMessageContaining("'42' of java.lang.Integer");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.renewLock(42));
    }

    @Test
    void aKeyThatIsTooLongIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain("k".repeat(300)))
                .withMessageContaining("255 bytes");
    }

    @Test
    void anEndlessWaitSaturates() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), SHORT)).isTrue();
        lock.unlock();
        lock.unlock();
    }

    @Test
    void conditionsAreNotSupported() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> registry.obtain("a").newCondition());
    }

    @Test
    void aHeldLockDoesNotExpireForWantOfUse() {
        PaxosLeaseLock lock = registry.obtain("a");
        lock.lock();
        registry.expireUnusedOlderThan(0);
        registry.expireUnusedOlderThan(Long.MAX_VALUE);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void tasksRunUnderTheLock() throws Exception {
        PaxosLeaseLock lock = registry.obtain("a");
        assertThat(registry.<Boolean, RuntimeException>executeLocked("a", lock::isHeldByCurrentThread))
                .isTrue();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inOtherThread(() -> {
                    registry.executeLocked("a", Duration.ofMillis(50), () -> {});
                    return null;
                }))
                .withCauseInstanceOf(TimeoutException.class)
                .withMessageContaining("The lock [a] was not acquired in time: PT0.05S");
        lock.unlock();
    }

    @Test
    void springIntegrationsLockBasedInitiatorWorksOverIt() {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(registry, new DefaultCandidate("c1", "billing"));
        initiator.setApplicationEventPublisher(event -> {});
        initiator.start();
        await().until(() -> initiator.getContext().isLeader());
        assertThat(node.monitor().status("lock:billing")).isPresent();
        initiator.stop();
        await().until(() -> !initiator.getContext().isLeader());
    }

    private static void awaitEnd(PaxosLeaseLock lock) {
        // Asked in this thread, which is the one that holds it.
        await().pollInSameThread().until(() -> !lock.isHeldByCurrentThread());
    }

    private <T extends @Nullable Object> T inOtherThread(Callable<T> task) throws Exception {
        return otherThread.submit(task).get(20, TimeUnit.SECONDS);
    }
}
