package io.paxoslease.locks;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Decides which thread of this node has one lock: reentrant, first come first served where the order counts, else open to
 * whoever comes by while another thread is being woken, which is much faster. Whoever waits is passed by a limited number of
 * times. Besides threads that hold it there is <em>upkeep</em>: a moment in which somebody, without waiting and without being
 * a thread's hold, changes what the mutex guards. At last it may be retired: then nobody has it ever again.
 */
@SuppressWarnings("serial") // made for use, not to be stored
final class LockMutex extends AbstractQueuedSynchronizer {

    /** How many threads may pass the one that has waited longest. */
    static final int MOST_PASSING = 10_000;

    /** How long to leave the processor to somebody who is at upkeep. */
    private static final long UPKEEP_NANOS = 1_000;

    private static final int FREE = 0;
    private static final int UPKEEP = -1;
    private static final int RETIRED = -2;

    private final transient BooleanSupplier mayPass;
    /** Written by whoever has just taken the mutex. */
    private int passed;

    /** @param mayPass whether threads may pass those that wait at present; a hint */
    LockMutex(BooleanSupplier mayPass) {
        this.mayPass = mayPass;
    }

    /** True also when it is retired, so that nobody waits for it: {@link #holds} tells. */
    @Override
    protected boolean tryAcquire(int one) {
        int state = getState();
        Thread current = Thread.currentThread();
        if (state == FREE) {
            boolean waitedFor = hasQueuedPredecessors();
            if (waitedFor && (passed >= MOST_PASSING || !mayPass.getAsBoolean())) {
                return false;
            }
            if (compareAndSetState(FREE, 1)) {
                passed = waitedFor ? passed + 1 : 0;
                setExclusiveOwnerThread(current);
                return true;
            }
            return getState() == RETIRED;
        }
        if (state > 0 && getExclusiveOwnerThread() == current) {
            setState(Math.addExact(state, 1));
            return true;
        }
        return state == RETIRED;
    }

    /** True when whoever waits next is to be woken. */
    @Override
    protected boolean tryRelease(int count) {
        int left = getState() - count;
        if (left == FREE) {
            setExclusiveOwnerThread(null);
        }
        setState(left);
        return left <= FREE;
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

    /** Does not wait, save for upkeep: false means that another thread has it, or is the next to have it. */
    boolean tryLock() {
        while (!tryAcquire(1)) {
            int state = getState();
            if (state > FREE || (state == FREE && hasQueuedPredecessors())) {
                return false;
            }
            LockSupport.parkNanos(UPKEEP_NANOS);
        }
        return true;
    }

    /** By the thread that holds it. */
    void unlock() {
        release(1);
    }

    /** How often the calling thread, which has just taken or found out to have it, holds it; below zero: nobody ever will. */
    int holds() {
        return getState();
    }

    boolean isHeldByCurrentThread() {
        return getExclusiveOwnerThread() == Thread.currentThread();
    }

    /** Whether some thread holds it. */
    boolean isHeld() {
        return getState() > FREE;
    }

    /**
     * Begins upkeep if no thread holds the mutex, and it is not retired. Never waits for a thread.
     *
     * @return whether it has begun; if not, a thread held the mutex, or somebody else was at it already
     */
    boolean tryUpkeep() {
        return compareAndSetState(FREE, UPKEEP);
    }

    void endUpkeep() {
        release(UPKEEP);
    }

    /** Ends upkeep, and the mutex with it. Those who came meanwhile are let go, one after the other. */
    void retire() {
        setState(RETIRED);
        passOnRetirement();
    }

    /** Whoever has been let go because of the retirement lets the next one go. */
    void passOnRetirement() {
        release(0);
    }

    boolean isRetired() {
        return getState() == RETIRED;
    }
}
