package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is told of a lost lock, and who is interrupted. {@link HoldConcurrencyTest} lets the loss meet the unlock. */
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class LeaseLockLossTest {

    private static final Duration SHORT = Duration.ofMillis(40);

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void whoHoldsALockThatIsLostIsToldOnceOnTheCallbackExecutor() {
        LeaseLock lock = lock(false);
        lock.lock(SHORT);
        lock.onLost(() -> told.add(Thread.currentThread().getName()));
        Eventually.until("told", () -> !told.isEmpty());

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        node.stop();
        assertThat(told).containsExactly("paxoslease-solo-callbacks");
    }

    @Test
    void whoAsksAfterTheLossIsToldAtOnce() {
        LeaseLock lock = lock(false);
        lock.lock(SHORT);
        awaitLoss(lock);
        lock.onLost(() -> told.add("late"));

        Eventually.until("told", () -> !told.isEmpty());
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void everyRegistrationIsToldAndOneThatThrowsStopsNoOther() {
        LeaseLock lock = lock(false);
        lock.lock(SHORT);
        lock.onLost(() -> {
            throw new IllegalStateException("as a listener may");
        });
        lock.onLost(() -> told.add("second"));
        lock.onLost(() -> told.add("third"));

        Eventually.until("told", () -> told.size() == 2);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aRegistrationInsideANestedHoldLastsUntilTheOutermostUnlock() {
        LeaseLock lock = lock(false);
        lock.lock();
        lock.lock();
        lock.onLost(() -> told.add("inner"));
        lock.unlock();
        node.stop();

        Eventually.until("told", () -> !told.isEmpty());
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void whoHasUnlockedIsNotTold() {
        nodeThatCallsBackLater();
        LeaseLock lock = lock(false);
        lock.lock();
        lock.onLost(() -> told.add("first hold"));
        lock.unlock();
        lock.lock();
        lock.onLost(() -> told.add("second hold"));
        node.stop();
        assertThat(later).hasSize(1); // the lease is the same, and has forgotten what the first hold asked for
        later.forEach(Runnable::run);

        assertThat(told).containsExactly("second hold");
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    /** The loss was on its way to the callback executor, and the thread learnt of it from its unlock. */
    @Test
    void whoHasLearntOfTheLossFromUnlockIsNotTold() {
        nodeThatCallsBackLater();
        LeaseLock lock = lock(true);
        lock.lock();
        lock.onLost(() -> told.add("too late"));
        node.stop();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(later).hasSize(2);
        later.forEach(Runnable::run);

        assertThat(told).isEmpty();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void onlyWhoHoldsTheLockMayRegister() throws Exception {
        LeaseLock lock = lock(false);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.onLost(() -> {}));
        lock.lock();
        assertThat(Background.start(() -> isRefused(lock)).result()).isTrue();
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.onLost(() -> {}))
                .withMessage("You do not own lock at k");
    }

    private static boolean isRefused(LeaseLock lock) {
        try {
            lock.onLost(() -> {});
            return false;
        } catch (IllegalMonitorStateException refused) {
            return true;
        }
    }

    @Test
    void aLossInterruptsTheThreadThatHoldsTheLock() throws Exception {
        LeaseLock lock = lock(true);
        Background<String> work = Background.start(() -> {
            lock.lock(SHORT);
            return awaitsInterrupt() + ", " + unlocked(lock);
        });

        assertThat(work.result()).isEqualTo("interrupted, lost, flag false");
    }

    /** The thread did not look at its flag: it must not find it after it has left the guarded region. */
    @Test
    void anInterruptThatNobodyNoticedEndsWithTheHold() throws Exception {
        LeaseLock lock = lock(true);
        Background<String> work = Background.start(() -> {
            lock.lock(Duration.ofSeconds(1)); // long enough for the next call
            lock.lock();
            Eventually.until("interrupted", Thread.currentThread()::isInterrupted);
            lock.unlock();
            return "flag " + Thread.currentThread().isInterrupted() + ", " + unlocked(lock);
        });

        assertThat(work.result()).isEqualTo("flag true, lost, flag false");
    }

    @Test
    void anInterruptFromElsewhereIsKept() throws Exception {
        nodeThatCallsBackLater();
        LeaseLock lock = lock(true);
        lock.lock();
        Thread.currentThread().interrupt();
        node.stop();
        later.forEach(Runnable::run);

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void eachHoldTakesBackItsOwnInterruptOnly() {
        nodeThatCallsBackLater();
        LeaseLock first = lock(true);
        LeaseLock second = new LeaseLocks(node, interrupting(true)).get("k2");
        first.lock();
        second.lock();
        node.stop();
        Runnable one = later.remove();
        one.run();
        assertThat(Thread.interrupted()).isTrue();
        later.remove().run();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(second::unlock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(first::unlock);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        one.run();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void nobodyIsInterruptedUnlessAskedFor() {
        nodeThatCallsBackLater();
        LeaseLock lock = lock(false);
        lock.lock();
        node.stop();

        assertThat(later).isEmpty();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aThreadThatWaitsForTheLockIsNotInterruptedByItsLoss() throws Exception {
        LeaseLock lock = lock(true);
        lock.lock(SHORT);
        Background<Boolean> waiting = Background.start(() -> {
            lock.lockInterruptibly();
            lock.unlock();
            return Thread.currentThread().isInterrupted();
        });
        Eventually.until("interrupted", Thread.currentThread()::isInterrupted);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);

        assertThat(waiting.result()).isFalse();
    }

    private LeaseLock lock(boolean interrupt) {
        node.start();
        return new LeaseLocks(node, interrupting(interrupt)).get("k");
    }

    private static LockOptions interrupting(boolean interrupt) {
        return LockOptions.builder().interruptOnLoss(interrupt).build();
    }

    private void nodeThatCallsBackLater() {
        node = PaxosLease.create(
                PaxosLeaseOptions.builder("solo").callbackExecutor(later::add).build());
    }

    private static String awaitsInterrupt() {
        try {
            new CountDownLatch(1).await();
            return "not interrupted";
        } catch (InterruptedException e) {
            return "interrupted";
        }
    }

    private static String unlocked(LeaseLock lock) {
        try {
            lock.unlock();
            return "unlocked";
        } catch (LeaseLostException e) {
            return "lost, flag " + Thread.currentThread().isInterrupted();
        }
    }

    private static void awaitLoss(LeaseLock lock) {
        Eventually.until("lost", () -> !lock.isHeldByCurrentThread());
    }
}
