package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread of one node has a lock. */
@Timeout(60)
class LockMutexTest {

    private final AtomicBoolean mayPass = new AtomicBoolean();
    private final LockMutex mutex = new LockMutex(mayPass::get);
    private final List<Integer> entered = new CopyOnWriteArrayList<>();

    private List<Background<Boolean>> waiting(int threads) {
        List<Background<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Background<Boolean> thread = Background.start(() -> {
                mutex.lock();
                if (mutex.holds() < 0) {
                    mutex.passOnRetirement();
                    return false;
                }
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
    void whoeverWaitsIsPassedByALimitedNumberOfTimes() throws Exception {
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
    void tryLockDoesNotPassWhereTheOrderCountsAndWaitsForUpkeepOnly() throws Exception {
        assertThat(mutex.tryUpkeep()).isTrue();
        Background<Boolean> trying = Background.start(() -> mutex.tryLock() && unlocked());
        trying.awaitBlocked();
        assertThat(trying.isDone()).isFalse();
        mutex.endUpkeep();
        assertThat(trying.result()).isTrue();

        mutex.lock();
        assertThat(Background.start(() -> mutex.tryLock()).result()).isFalse();
        assertThat(Background.start(() -> mutex.tryLock(1_000)).result()).isFalse();
        mutex.unlock();
    }

    @Test
    void upkeepAndHoldsExcludeEachOther() throws Exception {
        mutex.lock();
        assertThat(mutex.tryUpkeep()).isFalse();
        mutex.unlock();
        assertThat(mutex.tryUpkeep()).isTrue();
        assertThat(mutex.tryUpkeep()).isFalse();
        assertThat(mutex.isHeld()).isFalse();
        List<Background<Boolean>> waiting = waiting(3);
        assertThat(entered).isEmpty();
        mutex.endUpkeep();
        for (Background<Boolean> thread : waiting) {
            assertThat(thread.result()).isTrue();
        }
    }

    @Test
    void whoeverWaitsForARetiredMutexIsLetGo() throws Exception {
        assertThat(mutex.tryUpkeep()).isTrue();
        List<Background<Boolean>> waiting = waiting(5);
        mutex.retire();
        for (Background<Boolean> thread : waiting) {
            assertThat(thread.result()).isFalse();
        }
        assertThat(mutex.isRetired()).isTrue();
        assertThat(mutex.tryUpkeep()).isFalse();
        assertThat(mutex.tryLock()).isTrue();
        assertThat(mutex.tryLock(TimeUnit.HOURS.toNanos(1))).isTrue();
        assertThat(mutex.holds()).isNegative();
        assertThat(mutex.isHeldByCurrentThread()).isFalse();
        assertThat(entered).isEmpty();
    }

    private boolean unlocked() {
        mutex.unlock();
        return true;
    }
}
