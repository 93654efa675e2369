package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract of every registry when many threads compete for its locks. */
@SuppressWarnings("LockNotBeforeTry") // a test that fails need not unlock
abstract class LockTrafficContract extends LockRegistryContract {

    private static final int KEYS = 500;

    @Test
    @DisplayName("R14")
    void twentyRegistriesGetTheLockOneAtATime() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int node = 0; node < 20; node++) {
            Lock lock = lock(node);
            all.add(actor().begins(() -> {
                assertThat(lock.tryLock(forever(), TimeUnit.MILLISECONDS)).isTrue();
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                inside.decrementAndGet();
                lock.unlock();
            }));
        }
        for (Future<?> each : all) {
            Actor.done(each);
        }
        assertThat(most).hasValue(1);
    }

    private long forever() {
        return differs(Difference.SHORT_FOREVER) ? TimeUnit.HOURS.toMillis(1) : Long.MAX_VALUE;
    }

    /** The list is guarded by nothing but the lock. */
    @Test
    @DisplayName("R15")
    void whatOneHolderLeavesTheNextOneFinds() throws Exception {
        List<Integer> data = new ArrayList<>();
        List<Future<?>> all = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            Lock lock = lock(node);
            all.add(actor().begins(() -> {
                for (int i = 0; i < 30; i++) {
                    lock.lock();
                    data.add(data.size());
                    lock.unlock();
                }
            }));
        }
        for (Future<?> each : all) {
            Actor.done(each);
        }
        assertThat(data).isEqualTo(IntStream.range(0, 90).boxed().toList());
    }

    @Test
    @DisplayName("R21")
    void manyKeysComeAndGo() throws Exception {
        LockRegistry<?> registry = registry(0);
        int[] entered = new int[KEYS];
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            Random random = new Random(thread);
            all.add(actor().begins(() -> {
                for (int i = 0; i < KEYS; i++) {
                    int chosen = random.nextInt(KEYS);
                    Lock lock = registry.obtain(key + "-" + chosen);
                    lock.lock();
                    entered[chosen]++;
                    lock.unlock();
                    if (i % 50 == 0 && !differs(Difference.NEVER_FORGETS)) {
                        forgetUnused(registry);
                    }
                }
            }));
        }
        for (Future<?> each : all) {
            Actor.done(each);
        }
        assertThat(IntStream.of(entered).sum()).isEqualTo(4 * KEYS);
    }
}
