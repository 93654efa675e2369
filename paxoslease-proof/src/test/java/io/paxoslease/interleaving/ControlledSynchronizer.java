package io.paxoslease.interleaving;

import io.paxoslease.interleaving.Scheduler.End;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What takes the place of {@link java.util.concurrent.locks.AbstractQueuedSynchronizer} in woven classes: the same contract for
 * exclusive use, in a few lines, with a point before each step.
 */
public abstract class ControlledSynchronizer {

    private static final class Waiter {
        final Thread thread = Thread.currentThread();
        boolean woken;
    }

    private final ArrayDeque<Waiter> queue = new ArrayDeque<>();
    private int state;
    private @Nullable Thread owner;

    protected ControlledSynchronizer() {}

    protected boolean tryAcquire(int arg) {
        throw new UnsupportedOperationException("tryAcquire " + arg);
    }

    protected boolean tryRelease(int arg) {
        throw new UnsupportedOperationException("tryRelease " + arg);
    }

    protected final int getState() {
        Control.point();
        return state;
    }

    protected final void setState(int newState) {
        Control.point();
        state = newState;
    }

    protected final boolean compareAndSetState(int expected, int newState) {
        Control.point();
        if (state != expected) {
            return false;
        }
        state = newState;
        return true;
    }

    protected final void setExclusiveOwnerThread(@Nullable Thread thread) {
        Control.point();
        owner = thread;
    }

    protected final @Nullable Thread getExclusiveOwnerThread() {
        Control.point();
        return owner;
    }

    public final boolean hasQueuedThreads() {
        Control.point();
        return !queue.isEmpty();
    }

    public final int getQueueLength() {
        Control.point();
        return queue.size();
    }

    public final boolean isQueued(Thread thread) {
        Control.point();
        return queue.stream().anyMatch(waiter -> waiter.thread == thread);
    }

    public final boolean hasQueuedPredecessors() {
        Control.point();
        Waiter first = queue.peek();
        return first != null && first.thread != Thread.currentThread();
    }

    public final void acquire(int arg) {
        acquire(arg, Task.NEVER, false);
    }

    public final void acquireInterruptibly(int arg) throws InterruptedException {
        if (Control.interrupted() || acquire(arg, Task.NEVER, true) == End.INTERRUPTED) {
            throw new InterruptedException();
        }
    }

    public final boolean tryAcquireNanos(int arg, long nanos) throws InterruptedException {
        End end = Control.interrupted() ? End.INTERRUPTED : acquire(arg, Control.deadline(nanos), true);
        if (end == End.INTERRUPTED) {
            throw new InterruptedException();
        }
        return end == End.MET;
    }

    public final boolean release(int arg) {
        if (!tryRelease(arg)) {
            return false;
        }
        wakeFirst();
        return true;
    }

    private End acquire(int arg, long deadline, boolean interruptible) {
        if (tryAcquire(arg)) {
            return End.MET;
        }
        Waiter me = new Waiter();
        Control.point();
        queue.add(me);
        End end = End.MET;
        while (end == End.MET) {
            if (queue.peek() == me && tryAcquire(arg)) {
                queue.remove(me);
                return End.MET;
            }
            end = Control.await(() -> me.woken, deadline, interruptible);
            me.woken = false;
        }
        boolean first = queue.peek() == me;
        queue.remove(me);
        if (first) {
            wakeFirst();
        }
        return end;
    }

    private void wakeFirst() {
        Control.point();
        Waiter first = queue.peek();
        if (first != null) {
            first.woken = true;
        }
    }
}
