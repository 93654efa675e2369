package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract of locks that last as long as a lease. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
abstract class LeasedLockContract extends LockTrafficContract {

    /** To be waited for, but longer than a pause of a busy machine. */
    private static final Duration SHORT = Duration.ofMillis(500);

    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Duration LONGER = Duration.ofSeconds(3);

    private LockRegistry<?> registry;
    private Lock elsewhere;
    private Actor other;

    /** Makes the store unreachable, or most of the cell; closing it ends that. */
    abstract AutoCloseable outage();

    @BeforeEach
    void takeTwoNodes() {
        registry = registry(0);
        elsewhere = lock(1);
        other = actor();
    }

    /** The lock on the first node, if there are leases. */
    private DistributedLock leased() {
        assumeNot(Difference.NO_TIME_TO_LIVE);
        return (DistributedLock) registry.obtain(key);
    }

    @Test
    @DisplayName("R7")
    void aLockLastsAsLongAsItsTimeToLive() throws Exception {
        DistributedLock lock = leased();
        for (boolean waiting : new boolean[] {false, true}) {
            long start = System.nanoTime();
            if (waiting) {
                assertThat(lock.tryLock(LONG, SHORT)).isTrue();
            } else {
                lock.lock(SHORT);
            }
            assertThat(other.asks(() -> elsewhere.tryLock())).isFalse();
            assertThat(other.asks(() -> takesAndLeaves(elsewhere))).isTrue();
            assertThat(since(start)).isGreaterThan(SHORT.minusMillis(10));
            assertUnlockTellsOfTheLoss(lock);
        }
    }

    private static void assertUnlockTellsOfTheLoss(DistributedLock lock) {
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
    }

    @Test
    @DisplayName("R8")
    void anUnlockAfterTheEndThrowsAndDoesNotAffectTheNextHolder() throws Exception {
        DistributedLock lock = leased();
        lock.lock(SHORT);
        other.does(() -> take(elsewhere));
        assertUnlockTellsOfTheLoss(lock);
        assertThat(actor().asks(() -> elsewhere.tryLock(100, TimeUnit.MILLISECONDS)))
                .isFalse();
        other.does(elsewhere::unlock);
        take(lock);
        lock.unlock();
    }

    @Test
    @DisplayName("R9")
    void afterTheEndAnotherNodeHasTheLockAndTheFirstOneHasNot() throws Exception {
        DistributedLock lock = leased();
        lock.lock(SHORT);
        other.does(() -> take(elsewhere));
        assertThat(actor().asks(() -> lock.tryLock())).isFalse();
        if (differs(Difference.FALSE_ON_A_LOST_HOLD)) {
            assertThat(lock.tryLock()).isFalse();
        } else {
            assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::tryLock);
        }
        assertUnlockTellsOfTheLoss(lock);
        assertThat(lock.tryLock()).isFalse();
        other.does(elsewhere::unlock);
    }

    @Test
    @DisplayName("R10")
    void onlyTheOwnerRenewsALock() throws Exception {
        DistributedLock lock = leased();
        lock.lock(LONG);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> other.does(() -> renewable(registry).renewLock(key)))
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        renewable(registry).renewLock(key);
        renewable(registry).renewLock(key, LONGER);
        assertThat(other.asks(() -> elsewhere.tryLock(LONG.toMillis() + 200, TimeUnit.MILLISECONDS)))
                .isFalse();
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> renewable(registry).renewLock(key, LONG));
    }

    @Test
    @DisplayName("R11")
    void aLockWithoutATimeToLiveOutlastsTheLeaseTime() throws Exception {
        DistributedLock lock = leased();
        assumeNot(Difference.NO_AUTOMATIC_RENEWAL);
        lock.lock();
        long twice = 2 * LockCell.LEASE_TIME.toMillis();
        assertThat(other.asks(() -> elsewhere.tryLock(twice, TimeUnit.MILLISECONDS)))
                .isFalse();
        lock.unlock();
    }

    /** If they did, the lock would never become free. */
    @Test
    @DisplayName("R12")
    void failedAttemptsOfOthersExtendNothing() {
        DistributedLock lock = leased();
        lock.lock(SHORT);
        AtomicInteger failed = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(10)).until(() -> {
            boolean taken = other.asks(() -> elsewhere.tryLock());
            failed.addAndGet(taken ? 0 : 1);
            return taken;
        });
        assertThat(failed.get()).isPositive();
        assertUnlockTellsOfTheLoss(lock);
    }

    @Test
    @DisplayName("R18")
    void duringAnOutageTryLockReturnsInTimeAndAfterItAllIsWell() throws Exception {
        assumeNot(Difference.ONE_PROCESS);
        DistributedLock lock = leased();
        long asked = 300;
        try (AutoCloseable ends = outage()) {
            assertThat(ends).isNotNull();
            long start = System.nanoTime();
            if (differs(Difference.OUTAGE_THROWS)) {
                assertThatException().isThrownBy(() -> lock.tryLock(asked, TimeUnit.MILLISECONDS));
            } else {
                assertThat(lock.tryLock(asked, TimeUnit.MILLISECONDS)).isFalse();
                assertThat(lock.tryLock()).isFalse();
            }
            assertThat(since(start)).isLessThan(Duration.ofSeconds(2));
        }
        take(lock);
        assertThat(other.asks(() -> elsewhere.tryLock())).isFalse();
        lock.unlock();
    }
}
