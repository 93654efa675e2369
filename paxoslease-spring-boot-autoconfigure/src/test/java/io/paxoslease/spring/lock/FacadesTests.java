package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FacadesTests {

    private final LeaseLocks locks =
            new LeaseLocks(PaxosLease.create(PaxosLeaseOptions.builder("n1").build()), LockOptions.renewing());
    private final Facades facades = new Facades(key -> new CellLock(locks.get(key), Duration.ofSeconds(5)));

    @Test
    void aFacadeThatSomebodyRefersToStaysTheSame() {
        CellLock lock = facades.get("a");
        System.gc();
        assertThat(facades.get("a")).isSameAs(lock);
        assertThat(facades.size()).isEqualTo(1);
    }

    @Test
    void facadesThatNobodyRefersToAreForgotten() {
        for (int i = 0; i < 100; i++) {
            facades.get("key" + i);
        }
        await().until(() -> {
            System.gc();
            return facades.size() == 0;
        });
        assertThat(facades.get("key1")).isNotNull();
    }

    /** After a collection of very many, no single call clears them all away. */
    @Test
    void oneCallClearsAFewAwayOnly() {
        for (int i = 0; i < 20_000; i++) {
            facades.get("key" + i);
        }
        await().until(() -> {
            System.gc();
            int before = facades.sizeAsItIs();
            facades.get("one");
            int cleared = before + 1 - facades.sizeAsItIs();
            assertThat(cleared).isLessThanOrEqualTo(32);
            return cleared > 1;
        });
        assertThat(facades.sizeAsItIs()).isGreaterThan(1_000);
    }

    @Test
    void aKeyThatIsRefusedIsNotRemembered() {
        assertThatIllegalArgumentException().isThrownBy(() -> facades.get("k".repeat(300)));
        assertThat(facades.size()).isZero();
    }
}
