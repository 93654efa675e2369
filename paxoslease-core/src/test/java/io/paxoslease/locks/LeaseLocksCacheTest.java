package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a new key costs when there are many, and how many are remembered. */
@SuppressWarnings("LockNotBeforeTry") // which are held is what is tested
class LeaseLocksCacheTest {

    private static final int MANY = 100_000;

    /** With leases that no pause of the machine ends: what is remembered is tested. */
    private final PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("solo")
            .leaseTime(Duration.ofMinutes(5))
            .maxLeaseTime(Duration.ofMinutes(5))
            .build());

    private final LeaseLocks locks = new LeaseLocks(
            node, LockOptions.builder().idleRetention(Duration.ofHours(1)).build());
    private final List<LeaseLock> referredTo = new ArrayList<>();

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    private void use(int from, int to) {
        for (int i = from; i < to; i++) {
            referredTo.add(locks.get("k" + i));
        }
    }

    /** Each of them is as if it had been collected right after its use. */
    private void useAndCollect(int from, int to) {
        for (int i = from; i < to; i++) {
            locks.get("k" + i);
            Objects.requireNonNull(locks.reference("k" + i)).clear();
        }
    }

    @Test
    void aNewKeyForgetsAFewOfTheOthersOnly() {
        useAndCollect(0, MANY);
        assertThat(locks.size()).isEqualTo(MANY);
        for (int i = 1; i <= 10; i++) {
            locks.get("new" + i);
            assertThat(MANY + i - locks.size()).isBetween(1, 8 * i);
        }
    }

    @Test
    void aKeyThatIsKnownForgetsNothing() {
        use(0, MANY + 1);
        useAndCollect(MANY + 1, MANY + 10);
        int before = locks.size();
        for (int i = 0; i < 1_000; i++) {
            locks.get("k" + MANY);
        }
        assertThat(locks.size()).isEqualTo(before);
    }

    @Test
    void anyNumberOfKeysMayHaveBeenUsed() {
        useAndCollect(0, 4 * MANY);
        assertThat(locks.size()).isBetween(MANY / 2, MANY + 1);
    }

    @Test
    void locksThatAreNotReferredToAreCollected() {
        for (int i = 0; i < 1_000; i++) {
            locks.get("k" + i);
        }
        Eventually.until("all are forgotten", () -> {
            System.gc();
            locks.expireUnusedOlderThan(Duration.ZERO);
            return locks.size() == 0;
        });
    }

    @Test
    void heldLocksAreKeptAndDoNotKeepTheOthers() {
        for (int i = 0; i < 2_000; i++) {
            locks.get("held" + i).lock();
        }
        System.gc();
        useAndCollect(0, 3 * MANY);
        assertThat(locks.size()).isLessThanOrEqualTo(MANY + 1);
        for (int i = 0; i < 2_000; i++) {
            LeaseLock held = locks.get("held" + i);
            assertThat(held.isHeldByCurrentThread()).isTrue();
            held.unlock();
        }
    }

    @Test
    void aLockIsKeptWhileItHasALease() {
        locks.get("k").lock();
        LockReference reference = Objects.requireNonNull(locks.reference("k"));
        assertThat(reference.pinned).isNotNull();
        locks.get("k").unlock();
        assertThat(reference.pinned).as("its lease is retained").isNotNull();

        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(reference.pinned).isNull();
        assertThat(node.monitor().heldLeases()).isZero();
    }

    @Test
    void aLockThatLostItsLeaseIsKeptUntilItsThreadUnlocks() {
        LeaseLock lock = locks.get("k");
        lock.lock();
        node.stop();
        LockReference reference = Objects.requireNonNull(locks.reference("k"));
        assertThat(reference.pinned).isNotNull();
        try {
            lock.unlock();
        } catch (LeaseLostException lost) {
            assertThat(reference.pinned).isNull();
        }
    }

    @Test
    void aRetainedLeaseThatIsLostKeepsNoLock() {
        LeaseLock lock = locks.get("k");
        lock.lock();
        lock.unlock();
        node.stop();
        assertThat(Objects.requireNonNull(locks.reference("k")).pinned).isNull();
    }

    /** However long leases are retained, and however many keys are used meanwhile. */
    @Test
    void beyondManyKeysTheLeasesOfIdleLocksAreGivenUp() {
        for (int i = 0; i < 100; i++) {
            LeaseLock lock = locks.get("idle" + i);
            lock.lock();
            lock.unlock();
        }
        assertThat(node.monitor().heldLeases()).isEqualTo(100);
        use(0, 2 * MANY);
        assertThat(node.monitor().heldLeases()).isZero();
    }

    @Test
    void whatIsForgottenOnRequestIsForgottenWholly() {
        useAndCollect(0, MANY);
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(locks.size()).isZero();
    }
}
