package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lease that was asked for on behalf of the next thread here, which does not take it. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LockPrefetchTest {

    private static final LockOptions OPTIONS =
            LockOptions.builder().idleRetention(Duration.ofHours(1)).build();
    private static final Duration SOON = Duration.ofMillis(100);
    private static final int ROUNDS = 200;

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final PaxosLease a = cell.node("a");
    private final LeaseLocks locks = new LeaseLocks(a, OPTIONS);
    private final LeaseLock mine = locks.get("k");
    private final LeaseLock theirs = new LeaseLocks(cell.node("b"), OPTIONS).get("k");

    @AfterEach
    void close() {
        cell.close();
    }

    /** A thread that is refused for its time comes by just when the lease arrives that was asked for on its behalf. */
    @Test
    void aTimeThatIsRefusedLeavesNoLeaseBehind() throws Exception {
        try (PaxosLease solo =
                PaxosLease.create(PaxosLeaseOptions.builder("solo").build())) {
            solo.start();
            LeaseLock lock = new LeaseLocks(solo, OPTIONS).get("k");
            for (int round = 0; round < ROUNDS; round++) {
                lock.lock();
                AtomicBoolean over = new AtomicBoolean();
                Background<Boolean> refused = Background.start(() -> {
                    do {
                        assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(Duration.ZERO));
                    } while (!over.get());
                    return true;
                });
                CompletableFuture<Lease> other = solo.acquire("lock:k", AcquireOptions.renewing());
                lock.unlock();
                Futures.get(other).release();
                over.set(true);
                refused.result();

                assertThat(solo.tryAcquire(
                                "lock:k",
                                AcquireOptions.builder()
                                        .maxWait(Duration.ofSeconds(2))
                                        .build()))
                        .as("round %d", round)
                        .hasValueSatisfying(Lease::release);
            }
        }
    }

    @Test
    void aTimeThatIsRefusedCostsNoLeaseThatIsKept() {
        mine.lock();
        long token = mine.fencingToken();
        mine.unlock();
        Duration tooLong = a.monitor().options().maxLeaseTime().plusMillis(1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> mine.lock(tooLong))
                .withMessageContaining("maximum lease time")
                .withMessageContaining("PT");
        assertThatIllegalArgumentException().isThrownBy(() -> mine.lock(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> mine.tryLock(SOON, Duration.ofMillis(-1)));
        mine.lock();
        assertThat(mine.fencingToken()).isEqualTo(token);
        mine.unlock();
    }

    /** Nothing can come of it, so it is refused at once, and not after the lock has been waited for. */
    @Test
    void aTimeThatIsRefusedIsNotWaitedFor() throws Exception {
        mine.lock();

        assertThatIllegalArgumentException().isThrownBy(() -> {
            try {
                Background.start(() -> {
                            mine.lock(Duration.ZERO);
                            return true;
                        })
                        .result();
            } catch (ExecutionException e) {
                throw (RuntimeException) e.getCause();
            }
        });
        mine.unlock();
    }

    @Test
    void whatWasAskedForBeforeARestartDoesNotFailTheFirstLockAfterIt() throws Exception {
        mine.lock();
        LockMutex mutex = ((KeyLock) mine).lease.mutex;
        Background<Boolean> leaving = Background.start(() -> {
            mutex.lock();
            mutex.unlock();
            return true;
        });
        leaving.awaitBlocked();
        Background<Boolean> other = Background.start(() -> {
            theirs.lock();
            return true;
        });
        other.awaitBlocked();
        cell.advance(SOON);
        mine.unlock(); // asks again for the thread that waits, which leaves without the lease
        assertThat(leaving.result()).isTrue();
        while (!other.isDone()) {
            cell.advance(Duration.ofMillis(1));
        }
        a.stop();
        a.start();
        cell.node("b").stop();
        cell.advance(Duration.ofSeconds(60));

        mine.lock();
        assertThat(mine.isHeldByCurrentThread()).isTrue();
        mine.unlock();
    }
}
