package io.paxoslease.locks;

import io.paxoslease.node.Threads;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.BooleanSupplier;

/**
 * Decides which thread of this node has one lock. Reentrant. Where the order counts, threads are served first come, first served;
 * otherwise a thread may take the mutex while a queued thread is being woken, which is much faster, but each queued thread is passed
 * a limited number of times. Besides holds of threads there is <em>maintenance</em>: a moment in which a thread or a timer
 * changes what the mutex guards, without waiting and without a hold.
 */
@SuppressWarnings("serial") // made for use, not to be stored
final class LockMutex extends AbstractQueuedSynchronizer {

    /** How many threads may pass the one that has waited longest. */
    static final int MOST_PASSING = 10_000;

    /** How long to leave the processor to the thread that does maintenance. */
    private static final long MAINTENANCE_NANOS = 1_000;

    private static final int FREE = 0;
    private static final int MAINTENANCE = -1;

    private final transient BooleanSupplier mayPass;
    /** Written by the thread that has just taken the mutex. */
    private int passed;

    /** @param mayPass whether threads may pass queued ones at present; a hint */
    LockMutex(BooleanSupplier mayPass) {
        this.mayPass = mayPass;
    }

    @Override
    protected boolean tryAcquire(int one) {
        int state = getState();
        Thread current = Thread.currentThread();
        if (state == FREE) {
            boolean queued = hasQueuedPredecessors();
            if (queued && (passed >= MOST_PASSING || !mayPass.getAsBoolean())) {
                return false;
            }
            if (compareAndSetState(FREE, 1)) {
                passed = queued ? passed + 1 : 0;
                setExclusiveOwnerThread(current);
                return true;
            }
            return false;
        }
        if (state > 0 && getExclusiveOwnerThread() == current) {
            setState(Math.addExact(state, 1));
            return true;
        }
        return false;
    }

    /** True when the next queued thread is to be woken. */
    @Override
    protected boolean tryRelease(int count) {
        int left = getState() - count;
        if (left == FREE) {
            setExclusiveOwnerThread(null);
        }
        setState(left);
        return left == FREE;
    }

    void lock() {
        acquire(1);
    }

    void lockInterruptibly() throws InterruptedException {
        acquireInterruptibly(1);
    }

    boolean tryLock(long nanos) throws InterruptedException {
        return tryAcquireNanos(1, nanos);
    }

    /** Does not wait, except for maintenance: false means that another thread has it, or is the next to have it. */
    boolean tryLock() {
        while (!tryAcquire(1)) {
            int state = getState();
            if (state > FREE || (state == FREE && hasQueuedPredecessors())) {
                return false;
            }
            Threads.park(MAINTENANCE_NANOS);
        }
        return true;
    }

    /** By the thread that holds it. */
    void unlock() {
        release(1);
    }

    /** How often its thread holds it; zero or less when no thread does. */
    int holds() {
        return getState();
    }

    boolean isHeldByCurrentThread() {
        return getExclusiveOwnerThread() == Thread.currentThread();
    }

    /** Whether a thread holds it. */
    boolean isHeld() {
        return getState() > FREE;
    }

    /**
     * Begins maintenance if the mutex is free. Never waits for a thread.
     *
     * @return whether it has begun; if not, a thread held the mutex, or there was maintenance already
     */
    boolean tryMaintenance() {
        return compareAndSetState(FREE, MAINTENANCE);
    }

    void endMaintenance() {
        release(MAINTENANCE);
    }
}
