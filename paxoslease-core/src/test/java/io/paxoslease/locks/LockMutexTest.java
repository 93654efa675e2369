package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread of one node has a lock. */
@Timeout(60)
class LockMutexTest {

    private final AtomicBoolean mayPass = new AtomicBoolean();
    private final LockMutex mutex = new LockMutex(mayPass::get, () -> false);
    private final List<Integer> entered = new CopyOnWriteArrayList<>();

    private List<Background<Boolean>> waiting(int threads) {
        List<Background<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Background<Boolean> thread = Background.start(() -> {
                mutex.lock();
                entered.add(number);
                mutex.unlock();
                return true;
            });
            thread.awaitBlocked();
            waiting.add(thread);
        }
        return waiting;
    }

    @Test
    void whereTheOrderCountsThreadsAreServedInOrder() throws Exception {
        for (int round = 0; round < 20; round++) {
            entered.clear();
            mutex.lock();
            List<Background<Boolean>> waiting = waiting(5);
            mutex.unlock();
            mutex.lock();
            assertThat(entered).containsExactly(0, 1, 2, 3, 4);
            mutex.unlock();
            for (Background<Boolean> thread : waiting) {
                assertThat(thread.result()).isTrue();
            }
        }
    }

    /** One thread locks and unlocks as fast as it can: it would always win against a thread that has to be woken first. */
    @Test
    void aQueuedThreadIsPassedALimitedNumberOfTimes() throws Exception {
        mayPass.set(true);
        for (int round = 0; round < 20; round++) {
            entered.clear();
            mutex.lock();
            List<Background<Boolean>> waiting = waiting(1);
            for (int i = 0; i <= LockMutex.MOST_PASSING; i++) {
                mutex.unlock();
                mutex.lock();
            }
            assertThat(entered).containsExactly(0);
            mutex.unlock();
            assertThat(waiting.get(0).result()).isTrue();
        }
    }

    @Test
    void tryLockDoesNotPassWhereTheOrderCountsAndWaitsForMaintenanceOnly() throws Exception {
        assertThat(mutex.tryMaintenance()).isTrue();
        Background<Boolean> trying = Background.start(() -> mutex.tryLock() && unlocked());
        trying.awaitBlocked();
        assertThat(trying.isDone()).isFalse();
        mutex.endMaintenance();
        assertThat(trying.result()).isTrue();

        mutex.lock();
        assertThat(Background.start(() -> mutex.tryLock()).result()).isFalse();
        assertThat(Background.start(() -> mutex.tryLock(1_000)).result()).isFalse();
        mutex.unlock();
    }

    @Test
    void maintenanceAndHoldsExcludeEachOther() throws Exception {
        mutex.lock();
        assertThat(mutex.tryMaintenance()).isFalse();
        mutex.unlock();
        assertThat(mutex.tryMaintenance()).isTrue();
        assertThat(mutex.tryMaintenance()).isFalse();
        assertThat(mutex.isHeld()).isFalse();
        List<Background<Boolean>> waiting = waiting(3);
        assertThat(entered).isEmpty();
        mutex.endMaintenance();
        for (Background<Boolean> thread : waiting) {
            assertThat(thread.result()).isTrue();
        }
    }

    private boolean unlocked() {
        mutex.unlock();
        return true;
    }
}
