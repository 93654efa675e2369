package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.testing.Background;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks over nodes a, b and c. */
@Tag("slow")
@Tag("jdk")
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class LeaseLocksCellTest {

    private static final Duration LEASE_TIME = Duration.ofSeconds(2);

    private static TestCell cell;
    private static LeaseLocks a;
    private static LeaseLocks b;
    private static LeaseLocks c;

    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        cell = TestCell.started(LEASE_TIME);
        a = new LeaseLocks(cell.node("a"), LockOptions.defaults());
        b = new LeaseLocks(cell.node("b"), LockOptions.defaults());
        c = new LeaseLocks(cell.node("c"), LockOptions.defaults());
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @Test
    void aLockIsHeldByOneThreadOfTheWholeCell() throws Exception {
        a.get(key).lock();

        assertThat(b.get(key).tryLock()).isFalse();
        assertThat(c.get(key).tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
        a.get(key).unlock();
        assertThat(b.get(key).tryLock(5, TimeUnit.SECONDS)).isTrue();
        b.get(key).unlock();
    }

    @Test
    void anUnlockWakesAWaiterOnAnotherNode() throws Exception {
        a.get(key).lock();
        Background<Long> waiting = Background.start(() -> {
            b.get(key).lock();
            long entered = System.nanoTime();
            b.get(key).unlock();
            return entered;
        });
        waiting.awaitBlocked();
        long start = System.nanoTime();
        a.get(key).unlock();

        assertThat(waiting.result() - start).isLessThan(LEASE_TIME.toNanos() / 2);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsForAnotherNodeLeavesNothingBehind() throws Exception {
        a.get(key).lock();
        Background<Boolean> waiting = Background.start(() -> {
            b.get(key).lockInterruptibly();
            return true;
        });
        waiting.awaitBlocked();
        waiting.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseExactlyInstanceOf(InterruptedException.class);
        a.get(key).unlock();
        assertThat(c.get(key).tryLock(5, TimeUnit.SECONDS)).isTrue();
        c.get(key).unlock();
    }

    /** A plain counter, incremented by six threads on three nodes: no update is lost, and tokens never get smaller. */
    @Test
    void noUpdateUnderTheLockIsLost() throws Exception {
        long[] counter = new long[1];
        List<Long> tokens = new ArrayList<>();
        List<Background<Void>> threads = new ArrayList<>();
        for (LeaseLocks locks : List.of(a, b, c, a, b, c)) {
            threads.add(Background.start(() -> {
                LeaseLock lock = locks.get(key);
                for (int i = 0; i < 50; i++) {
                    lock.lock();
                    try {
                        counter[0]++;
                        tokens.add(lock.fencingToken());
                    } finally {
                        lock.unlock();
                    }
                }
                return null;
            }));
        }
        for (Background<Void> thread : threads) {
            thread.result();
        }

        assertThat(counter[0]).isEqualTo(300);
        assertThat(tokens).hasSize(300).isSorted();
    }

    @Test
    void aNodeWithManyThreadsDoesNotStarveTheOthers() throws Exception {
        List<Background<Integer>> crowd = new ArrayList<>();
        boolean[] enough = new boolean[1];
        for (int i = 0; i < 4; i++) {
            crowd.add(Background.start(() -> {
                int n = 0;
                boolean stop = false;
                while (!stop) {
                    a.get(key).lock();
                    stop = enough[0];
                    n++;
                    a.get(key).unlock();
                }
                return n;
            }));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(b.get(key).tryLock(10, TimeUnit.SECONDS)).isTrue();
            enough[0] = i == 9;
            b.get(key).unlock();
        }
        for (Background<Integer> thread : crowd) {
            assertThat(thread.result()).isPositive();
        }
    }
}
