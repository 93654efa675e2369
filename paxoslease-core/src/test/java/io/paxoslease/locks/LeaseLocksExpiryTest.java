package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Giving up the leases of unused locks, and forgetting them, never splits a lock in two. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLocksExpiryTest {

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void aKeyHasOneLockAsLongAsItIsReferredTo() {
        LeaseLock lock = locks.get("k");
        assertThat(locks.get("k")).isSameAs(lock);

        locks.expireUnusedOlderThan(Duration.ZERO);
        System.gc();
        assertThat(locks.get("k")).isSameAs(lock);
    }

    @Test
    void aHeldLockIsNeverForgotten() throws Exception {
        LeaseLock lock = locks.get("k");
        lock.lock();
        lock.lock();
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(locks.get("k")).isSameAs(lock);
        lock.unlock();
        locks.expireUnusedOlderThan(Duration.ZERO);

        assertThat(locks.get("k")).isSameAs(lock);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(Background.start(() -> locks.get("k").tryLock()).result()).isFalse();
        lock.unlock();
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(node.monitor().heldLeases()).isZero();
    }

    @Test
    void aLockThatIsWaitedForIsNeverForgotten() throws Exception {
        Lease lease = Futures.get(node.acquire("lock:k", AcquireOptions.renewing()));
        LeaseLock lock = locks.get("k");
        Background<Boolean> waiting = Background.start(() -> {
            lock.lock();
            locks.expireUnusedOlderThan(Duration.ZERO);
            boolean held = locks.get("k").isHeldByCurrentThread();
            lock.unlock();
            return held;
        });
        waiting.awaitBlocked();
        locks.expireUnusedOlderThan(Duration.ZERO);

        assertThat(locks.get("k")).isSameAs(lock);
        lease.release();
        assertThat(waiting.result()).isTrue();
    }

    @Test
    void aLockInHandWorksAfterItsLeaseWasGivenUp() throws Exception {
        LeaseLock old = locks.get("k");
        old.lock();
        old.unlock();
        locks.expireUnusedOlderThan(Duration.ZERO);
        LeaseLock fresh = locks.get("k");

        old.lock();
        assertThat(fresh.isHeldByCurrentThread()).isTrue();
        assertThat(Background.start(() -> fresh.tryLock()).result()).isFalse();
        fresh.unlock();
        assertThat(old.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void failedAttemptsKeepNothingAlive() throws Exception {
        locks.get("k").lock();
        assertThat(Background.start(() -> locks.get("k").tryLock()).result()).isFalse();
        locks.get("k").unlock();
        Eventually.until("it is forgotten", () -> {
            locks.expireUnusedOlderThan(Duration.ZERO);
            System.gc();
            return locks.reference("k") == null;
        });
    }

    @Test
    void anAgeOfAnyLengthIsAccepted() {
        LeaseLock lock = locks.get("k");
        for (Duration age : new Duration[] {Duration.ofDays(100_000), Duration.ofSeconds(Long.MAX_VALUE)}) {
            assertThatNoException().isThrownBy(() -> locks.expireUnusedOlderThan(age));
            assertThat(locks.get("k")).isSameAs(lock);
        }
    }

    /** Threads lock and unlock one key while another thread forgets it as fast as it can. */
    @Test
    void forgettingNeverLetsTwoThreadsIn() throws Exception {
        int[] counter = new int[1];
        List<Background<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Background.start(() -> {
                for (int i = 0; i < 500; i++) {
                    LeaseLock lock = locks.get("k");
                    lock.lock();
                    counter[0]++;
                    lock.unlock();
                }
                return null;
            }));
        }
        while (!threads.stream().allMatch(Background::isDone)) {
            locks.expireUnusedOlderThan(Duration.ZERO);
        }
        for (Background<Void> thread : threads) {
            thread.result();
        }
        assertThat(counter[0]).isEqualTo(2_000);
    }
}
