package io.paxoslease.locks;

import io.paxoslease.node.Threads;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread of this node has one lock. Reentrant. Where the order counts, threads are served first come, first served;
 * otherwise a thread may take the mutex while a queued thread is being woken, which is much faster, but each queued thread is passed
 * a limited number of times. Besides holds of threads there is <em>maintenance</em>: a moment in which a thread or a timer
 * changes what the mutex guards, without waiting and without a hold. A mutex that was <em>opened</em> lets every thread pass, for good: only
 * the thread that had it has it still.
 */
@SuppressWarnings("serial") // made for use, not to be stored
final class LockMutex extends AbstractQueuedSynchronizer {

    /** How many threads may pass the one that has waited longest. */
    static final int MOST_PASSING = 10_000;

    /** How long to leave the processor to the thread that does maintenance. */
    private static final long MAINTENANCE_NANOS = 1_000;

    private static final int FREE = 0;
    private static final int MAINTENANCE = -1;
    private static final int NOTHING = 0;

    private final transient BooleanSupplier mayPass;
    private final transient BooleanSupplier abandoned;
    /** Written by the thread that has just taken the mutex. */
    private int passed;

    private volatile boolean open;

    /**
     * @param mayPass whether threads may pass queued ones at present; a hint
     * @param abandoned asked by a thread that does not get the mutex: opens it if the thread that has it is to be passed over
     */
    LockMutex(BooleanSupplier mayPass, BooleanSupplier abandoned) {
        this.mayPass = mayPass;
        this.abandoned = abandoned;
    }

    /** True also when it is open: then the thread has it only if it had it before. */
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
        return open || (state > FREE && abandoned.getAsBoolean());
    }

    /** True when the next queued thread is to be woken. */
    @Override
    protected boolean tryRelease(int count) {
        if (count == NOTHING) {
            return true;
        }
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

    /** Does not wait, except for maintenance: false means that another thread has it, or is the next to have it, and it is not open. */
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

    /** Lets all threads pass that wait now or come later. */
    void open() {
        open = true;
        wakeNext();
    }

    boolean isOpen() {
        return open;
    }

    /** By a thread that was let pass: the next one may pass, too. */
    void wakeNext() {
        release(NOTHING);
    }

    /** The thread that holds it, if that has ended; otherwise null. */
    @Nullable
    Thread deadOwner() {
        Thread owner = getExclusiveOwnerThread();
        boolean dead = owner != null && !owner.isAlive();
        return dead && getExclusiveOwnerThread() == owner ? owner : null; // all that it has done is seen by now
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
