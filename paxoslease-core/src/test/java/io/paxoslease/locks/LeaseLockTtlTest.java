package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks whose lease ends while a thread holds them, and locks that are renewed. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLockTtlTest {

    private static final Duration SHORT = Duration.ofMillis(40);
    /** Long enough for what follows at once. */
    private static final Duration LONGER = Duration.ofSeconds(1);

    private static final Duration LONG = Duration.ofSeconds(4);

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
    private final LeaseLock lock = locks.get("key-" + UUID.randomUUID());

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void theOutermostUnlockOfALostLockSaysSo() {
        lock.lock(SHORT);
        awaitLoss();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .withMessageStartingWith("The lease of the lock at " + lock.key() + " ended while it was held");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void anInnerUnlockOfALostLockSaysNothingYet() {
        lock.lock(LONGER);
        lock.lock();
        awaitLoss();

        lock.unlock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aLostLockIsNotLockedAgainInside() {
        lock.lock(SHORT);
        awaitLoss();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lockInterruptibly);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void afterALossTheLockIsTakenAfresh() {
        lock.lock(SHORT);
        long token = lock.fencingToken();
        awaitLoss();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);

        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.fencingToken()).isGreaterThan(token);
        lock.unlock();
    }

    @Test
    void aLostLockIsLostForItsOwnerOnlyAndFreeForOtherNodes() throws Exception {
        lock.lock(SHORT);
        awaitLoss();
        Lease lease = Futures.get(node.acquire("lock:" + lock.key(), AcquireOptions.renewing()));

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void theTokenOfALostLockIsStillTold() {
        lock.lock(SHORT);
        long token = lock.fencingToken();
        awaitLoss();

        assertThat(lock.fencingToken()).isEqualTo(token);
        assertThat(lock.remaining()).isZero();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void renewingALockExtendsIt() {
        lock.lock(LONGER);
        lock.renew(LONG);
        assertThat(lock.remaining()).isGreaterThan(LONGER);
        lock.unlock();
    }

    @Test
    void renewingWithoutATimeUsesTheTimeOfTheLock() {
        lock.lock(LONG);
        lock.renew();
        assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(2));
        lock.unlock();
        lock.lock();
        lock.renew();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void aLostLockIsNotRenewed() {
        lock.lock(SHORT);
        awaitLoss();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::renew);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> lock.renew(LONG));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void lockingAgainInsideWithATimeExtends() throws InterruptedException {
        lock.lock(LONGER);
        lock.lock(LONG);
        assertThat(lock.remaining()).isGreaterThan(LONGER);
        assertThat(lock.tryLock(Duration.ZERO, SHORT)).isTrue();
        assertThat(lock.remaining()).isGreaterThan(LONGER);
        lock.unlock();
        lock.unlock();
        lock.unlock();
    }

    @Test
    void aTimeOutOfBoundsIsRefusedAndTheLockStaysFree() throws Exception {
        Duration tooLong = node.monitor().options().maxLeaseTime().plusNanos(1);
        for (Duration ttl : new Duration[] {tooLong, Duration.ZERO, Duration.ofNanos(-1)}) {
            assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(ttl));
            assertThatIllegalArgumentException().isThrownBy(() -> lock.tryLock(Duration.ZERO, ttl));
        }
        assertThat(Background.start(lock::tryLock).result()).isTrue();
    }

    @Test
    void aTimeOutOfBoundsInsideLeavesTheHoldAsItWas() {
        lock.lock();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> lock.lock(node.monitor().options().maxLeaseTime().plusNanos(1)));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void locksWithATimeOfTheirOwnEndByThemselves() {
        LeaseLock brief =
                new LeaseLocks(node, LockOptions.builder().leaseTime(SHORT).build()).get("brief");
        brief.lock();
        Eventually.until("lost", () -> !brief.isHeldByCurrentThread());

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(brief::unlock);
    }

    @Test
    void theStopOfTheNodeLosesTheLock() {
        lock.lock();
        node.stop();

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        node.start();
        lock.lock();
        lock.unlock();
    }

    @Test
    void renewingALockOfAStoppedNodeSaysThatItIsLost() {
        Background<Boolean> renewing = Background.start(() -> {
            lock.lock(LONG);
            node.stop();
            lock.renew();
            return true;
        });

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(renewing::result)
                .withCauseExactlyInstanceOf(LeaseLostException.class);
    }

    /** A callback of somebody else hangs, on the only callback thread: a lock is renewed all the same. */
    @Test
    void aHangingCallbackDoesNotHoldUpARenewal() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        node.acquire("other", AcquireOptions.fixed(SHORT))
                .thenAccept(lease -> lease.onLost((lost, reason) -> {
                    hanging.countDown();
                    awaitUninterruptibly(goOn);
                }));
        assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();
        Background<Boolean> renewing = Background.start(() -> {
            lock.lock(LONG);
            lock.renew();
            return true;
        });
        try {
            Eventually.until("renewed", renewing::isDone);
        } finally {
            goOn.countDown();
        }
        assertThat(renewing.result()).isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until the node has noticed, too: up to then a renewal may still come in time. */
    private void awaitLoss() {
        Eventually.until("lost", () -> !lock.isHeldByCurrentThread());
        Eventually.until("lost for the node, too", () -> node.monitor()
                .status("lock:" + lock.key())
                .filter(status -> status.state() == LeaseStatus.State.HELD)
                .isEmpty());
    }
}
