package io.paxoslease.spring.leader;

import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * One node's locks in a {@link TtlStore}, with the contract of Spring Integration's registries over a database: a local
 * reentrant lock in front of the row, polled ten times a second while another has it. There is one lock, whatever the key.
 */
final class TtlLockRegistry implements LockRegistry<Lock> {

    private final TtlLock lock;

    TtlLockRegistry(TtlStore store, String node) {
        this.lock = new TtlLock(store, node);
    }

    @Override
    public Lock obtain(Object lockKey) {
        return lock;
    }

    private static final class TtlLock implements Lock {

        private static final long POLL_NANOS = 100_000_000;

        private final ReentrantLock local = new ReentrantLock();
        private final TtlStore store;
        private final String node;

        TtlLock(TtlStore store, String node) {
            this.store = store;
            this.node = node;
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            long start = System.nanoTime();
            if (!local.tryLock(time, unit)) {
                return false;
            }
            boolean taken = false;
            try {
                taken = store.take(node);
                while (!taken && System.nanoTime() - start < unit.toNanos(time)) {
                    LockSupport.parkNanos(POLL_NANOS);
                    taken = store.take(node);
                }
                return taken;
            } finally {
                if (!taken) {
                    local.unlock();
                }
            }
        }

        @Override
        public void unlock() {
            if (!local.isHeldByCurrentThread()) {
                throw new IllegalMonitorStateException("You do not own the lock");
            }
            boolean dropped = local.getHoldCount() > 1 || store.drop(node);
            local.unlock();
            if (!dropped) {
                throw new ConcurrentModificationException("The lock was lost");
            }
        }

        @Override
        public void lock() {
            throw new UnsupportedOperationException("not used by initiators");
        }

        @Override
        public void lockInterruptibly() {
            throw new UnsupportedOperationException("not used by initiators");
        }

        @Override
        public boolean tryLock() {
            throw new UnsupportedOperationException("not used by initiators");
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("not used by initiators");
        }
    }
}
