package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockCacheTest {

    private final LeaseLocks locks =
            new LeaseLocks(PaxosLease.create(PaxosLeaseOptions.builder("n1").build()), LockOptions.defaults());
    private final LockCache cache = new LockCache(key -> new LeaseLockAdapter(locks.get(key), Duration.ofSeconds(5)));

    @Test
    void aLockInUseStaysTheSameObject() {
        LeaseLockAdapter lock = cache.get("a");
        System.gc();
        assertThat(cache.get("a")).isSameAs(lock);
        assertThat(cache.size()).isEqualTo(1);
    }

    @Test
    void unreferencedLocksAreForgotten() {
        for (int i = 0; i < 100; i++) {
            cache.get("key" + i);
        }
        await().until(() -> {
            System.gc();
            return cache.size() == 0;
        });
        assertThat(cache.get("key1")).isNotNull();
    }

    /** After a collection of very many, no single call clears them all away. */
    @Test
    void oneCallClearsAFewAwayOnly() {
        for (int i = 0; i < 20_000; i++) {
            cache.get("key" + i);
        }
        await().until(() -> {
            System.gc();
            int before = cache.rawSize();
            cache.get("one");
            int cleared = before + 1 - cache.rawSize();
            assertThat(cleared).isLessThanOrEqualTo(32);
            return cleared > 1;
        });
        assertThat(cache.rawSize()).isGreaterThan(1_000);
    }

    @Test
    void aKeyThatIsRefusedIsNotRemembered() {
        assertThatIllegalArgumentException().isThrownBy(() -> cache.get("k".repeat(300)));
        assertThat(cache.size()).isZero();
    }
}
