package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.Background;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who holds a lock, on one node. {@link LeaseLockWaitTest} is about waiting for it. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLocksTest {

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
    void aLockIsHeldFromLockToUnlock() {
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.remaining()).isPositive();
        assertThat(lock.fencingToken()).isPositive();
        assertThat(node.monitor().status("lock:" + key).map(LeaseStatus::state)).contains(LeaseStatus.State.HELD);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.remaining()).isZero();
    }

    @Test
    void aThreadMayLockAgainAndUnlocksAsOften() throws Exception {
        lock.lock();
        long token = lock.fencingToken();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.lockInterruptibly();
        assertThat(lock.fencingToken()).isEqualTo(token);
        for (int i = 0; i < 4; i++) {
            lock.unlock();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(inAnotherThread(() -> lock.tryLock())).isFalse();
        }
        lock.unlock();
        assertThat(inAnotherThread(() -> lock.tryLock() && unlocked(lock))).isTrue();
    }

    @Test
    void onlyTheOwnerUnlocks() {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessage("You do not own lock at " + key);
        lock.lock();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inAnotherThread(() -> unlocked(lock)))
                .withCauseExactlyInstanceOf(IllegalMonitorStateException.class)
                .withMessageContaining("own");
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void questionsOfAThreadThatDoesNotOwnTheLock() throws Exception {
        lock.lock();
        assertThat(inAnotherThread(lock::isHeldByCurrentThread)).isFalse();
        assertThat(inAnotherThread(lock::remaining)).isZero();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inAnotherThread(lock::fencingToken))
                .withCauseExactlyInstanceOf(IllegalMonitorStateException.class);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inAnotherThread(() -> {
                    lock.renew();
                    return true;
                }))
                .withCauseExactlyInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
    }

    @Test
    void thereAreNoConditions() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(lock::newCondition)
                .withMessage("A distributed lock has no conditions: its waiters are on other nodes");
    }

    @Test
    void aKeyIsALockOfItsOwn() throws Exception {
        lock.lock();
        assertThat(inAnotherThread(() -> locks.get(key + "2").tryLock() && unlocked(locks.get(key + "2"))))
                .isTrue();
        assertThat(inAnotherThread(() -> locks.get(key).tryLock())).isFalse();
        lock.unlock();
    }

    @Test
    void twoSetsOfLocksOverOneNodeExcludeEachOther() throws Exception {
        LeaseLock same = new LeaseLocks(node, LockOptions.defaults()).get(key);
        LeaseLock other =
                new LeaseLocks(node, LockOptions.builder().prefix("other:").build()).get(key);
        lock.lock();
        assertThat(inAnotherThread(() -> same.tryLock())).isFalse();
        assertThat(inAnotherThread(() -> other.tryLock() && unlocked(other))).isTrue();
        lock.unlock();
    }

    @Test
    void aKeyIsNeitherEmptyNorTooLong() {
        LeaseLocks bare = new LeaseLocks(node, LockOptions.builder().prefix("").build());

        assertThatIllegalArgumentException().isThrownBy(() -> bare.get(""));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.get("x".repeat(251)));
        assertThatNoException().isThrownBy(() -> locks.get("x".repeat(250)));
        assertThat(locks.get("").key()).isEmpty();
    }

    @Test
    void aLockOfANodeThatIsNotRunningIsNotTaken() {
        PaxosLease stopped =
                PaxosLease.create(PaxosLeaseOptions.builder("stopped").build());
        LeaseLock unavailable = new LeaseLocks(stopped, LockOptions.defaults()).get(key);

        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(unavailable::lock);
        assertThatExceptionOfType(PaxosLeaseException.class).isThrownBy(unavailable::tryLock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(unavailable::unlock);
        stopped.start();
        unavailable.lock();
        unavailable.unlock();
        stopped.stop();
    }

    private static boolean unlocked(LeaseLock held) {
        held.unlock();
        return true;
    }

    private static <T> T inAnotherThread(Callable<T> code) throws Exception {
        return Background.start(code).result();
    }
}
