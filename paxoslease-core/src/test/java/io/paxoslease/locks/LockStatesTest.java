package io.paxoslease.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a new key costs when there are many, and how many are remembered. */
@SuppressWarnings("LockNotBeforeTry") // which are held is what is tested
class LockStatesTest {

    private static final int MANY = 100_000;

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private final LeaseLocks locks = new LeaseLocks(node, LockOptions.renewing());
    private final List<LockState> states = new ArrayList<>();

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
            locks.get("k" + i);
            states.add(locks.state("k" + i));
        }
    }

    private long retired() {
        return states.stream().filter(LockState::isRetired).count();
    }

    @Test
    void aNewKeyForgetsAFewOfTheOthersOnly() {
        use(0, MANY);
        assertThat(retired()).isZero();
        for (int i = 1; i <= 10; i++) {
            locks.get("new" + i);
            assertThat(retired()).isBetween(1L, 8L * i);
        }
    }

    @Test
    void aKeyThatIsKnownForgetsNothing() {
        use(0, MANY + 1);
        long before = retired();
        for (int i = 0; i < 1_000; i++) {
            locks.get("k" + MANY);
        }
        assertThat(retired()).isEqualTo(before);
    }

    @Test
    void anyNumberOfKeysMayHaveBeenUsed() {
        use(0, 4 * MANY);
        assertThat(states.size() - retired()).isBetween(MANY / 2L, MANY + 1L);
    }

    @Test
    void heldLocksAreKeptAndDoNotKeepTheOthers() {
        List<LeaseLock> held = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            LeaseLock lock = locks.get("held" + i);
            lock.lock();
            held.add(lock);
        }
        use(0, 3 * MANY);
        for (int i = 0; i < 2_000; i++) {
            assertThat(locks.get("held" + i)).isSameAs(held.get(i));
            assertThat(held.get(i).isHeldByCurrentThread()).isTrue();
        }
        assertThat(states.size() - retired()).isLessThanOrEqualTo(MANY + 1L);
        held.forEach(LeaseLock::unlock);
    }

    @Test
    void whatWasForgottenOnRequestIsForgottenWholly() {
        use(0, MANY);
        locks.expireUnusedOlderThan(Duration.ZERO);
        assertThat(retired()).isEqualTo(MANY);
        states.clear();
        use(0, MANY);
        assertThat(retired()).isZero();
    }
}
