package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of waits that have no end of their own. The clock stands still unless a test moves it. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LockWaitTimeoutTest {

    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseLocks locks = new LeaseLocks(cell.node("a"), LockOptions.defaults());
    private final LeaseLock mine = locks.get("k");
    private final LeaseLock theirs = new LeaseLocks(cell.node("b"), LockOptions.defaults()).get("k");

    @AfterEach
    void close() {
        cell.close();
    }

    private LeaseLock limited() {
        return new LeaseLocks(
                        cell.node("a"), LockOptions.builder().waitTimeout(LIMIT).build())
                .get("k");
    }

    private static boolean lockAndUnlock(LeaseLock lock) {
        lock.lock();
        lock.unlock();
        return true;
    }

    @Test
    void aLockThatIsHeldElsewhereIsWaitedForThatLong() throws Exception {
        theirs.lock();
        Background<Boolean> waiting = Background.start(() -> lockAndUnlock(limited()));
        waiting.awaitBlocked();
        cell.advance(LIMIT);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .havingCause()
                .isInstanceOf(LeaseTimeoutException.class)
                .withMessage(
                        "The lock at k was not granted within PT2S (waitTimeout): another node or thread holds it, or no majority answers");
    }

    @Test
    void soIsOneThatAThreadOfThisNodeHolds() throws Exception {
        LeaseLock limited = limited();
        limited.lock();
        Background<Boolean> waiting = Background.start(() -> {
            limited.lockInterruptibly();
            return true;
        });
        waiting.awaitBlocked();
        cell.advance(LIMIT);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseInstanceOf(LeaseTimeoutException.class);
        limited.unlock();
        assertThat(lockAndUnlock(limited)).isTrue();
    }

    @Test
    void theOwnTimeOfATryLockCounts() throws Exception {
        theirs.lock();
        LeaseLock limited = limited();
        Background<Boolean> waiting = Background.start(() -> limited.tryLock(10, TimeUnit.SECONDS));
        waiting.awaitBlocked();
        cell.advance(LIMIT.multipliedBy(2));
        theirs.unlock();

        assertThat(waiting.result()).isTrue();
    }

    @Test
    void theEndOfWaitsEndsThoseForAnotherNode() throws Exception {
        theirs.lock();
        Background<Boolean> waiting = Background.start(() -> lockAndUnlock(mine));
        waiting.awaitBlocked();
        Background<Boolean> limited = Background.start(() -> locks.get("k").tryLock(1, TimeUnit.HOURS));
        limited.awaitBlocked();

        locks.endWaits();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .havingCause()
                .isInstanceOf(LeaseTimeoutException.class)
                .withMessage(
                        "The lock at k is not free at once, and this node no longer waits for one, because it is being stopped");
        assertThat(limited.result()).isFalse();
    }

    @Test
    void afterItAFreeLockIsGrantedAndAHeldOneIsNotWaitedFor() {
        locks.endWaits();
        assertThat(lockAndUnlock(mine)).isTrue();
        assertThat(lockAndUnlock(locks.get("other"))).isTrue();
        cell.advance(Duration.ofSeconds(2));
        theirs.lock();

        assertThatExceptionOfType(LeaseTimeoutException.class).isThrownBy(mine::lock);

        locks.allowWaits();
        theirs.unlock();
        assertThat(lockAndUnlock(mine)).isTrue();
    }

    @Test
    void aHoldIsNotAffected() {
        mine.lock();
        locks.endWaits();
        mine.lock();
        mine.unlock();
        assertThat(mine.isHeldByCurrentThread()).isTrue();
        mine.unlock();
    }

    @Test
    void noTimeToWaitIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> LockOptions.builder().waitTimeout(Duration.ZERO).build())
                .withMessage(
                        "The time that locks wait at most must be positive, not PT0S: leave it out for locks that wait for ever");
    }
}
