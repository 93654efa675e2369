package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract over three nodes, whatever they agree by. */
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CellLockContract extends LeasedLockContract {

    private final LockCell cell;

    /** @param cell runs, and is closed after the last test */
    CellLockContract(LockCell cell) {
        this.cell = cell;
    }

    @AfterAll
    void stop() {
        cell.close();
    }

    @Override
    LockRegistry<?> registry(int node) {
        return cell.registry(node);
    }

    @Override
    Set<Difference> differences() {
        return Difference.ofPaxosLease();
    }

    @Override
    AutoCloseable outage() {
        cell.node(1).stop();
        cell.node(2).stop();
        return cell::start;
    }

    /** The time to wait also bounds a nested lock, which has to request a longer lease from the cell. */
    @Test
    void duringAnOutageANestedTryLockReturnsInTimeAndTheHoldStays() throws Exception {
        PaxosLeaseLock lock = cell.registry(0).obtain(key);
        lock.lock(LockCell.MAX_LEASE_TIME);
        try (AutoCloseable ends = outage()) {
            assertThat(ends).isNotNull();
            assertThat(lock.tryLock(Duration.ofMillis(200), LockCell.MAX_LEASE_TIME))
                    .isFalse();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        }
    }
}
