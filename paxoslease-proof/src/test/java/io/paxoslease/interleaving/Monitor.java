package io.paxoslease.interleaving;

import io.paxoslease.interleaving.Scheduler.End;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** An object's monitor among the threads of one run. */
final class Monitor {

    private static final class Waiter {
        boolean notified;
    }

    private final Scheduler scheduler;
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private @Nullable Task owner;
    private int count;

    Monitor(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void enter() {
        enter(1);
    }

    private void enter(int times) {
        Task me = scheduler.me();
        scheduler.await(() -> owner == null || owner == me, Task.NEVER, false);
        owner = me;
        count += times;
    }

    void exit() {
        if (--count == 0) {
            owner = null;
        }
    }

    void await(long deadline) throws InterruptedException {
        check();
        Waiter waiter = new Waiter();
        waiters.add(waiter);
        int times = count;
        count = 0;
        owner = null;
        End end = scheduler.await(() -> waiter.notified, deadline, true);
        waiters.remove(waiter);
        enter(times);
        if (end == End.INTERRUPTED) {
            throw new InterruptedException();
        }
    }

    void wake(boolean all) {
        check();
        for (Waiter waiter = waiters.poll(); waiter != null; waiter = all ? waiters.poll() : null) {
            waiter.notified = true;
        }
    }

    private void check() {
        if (owner != scheduler.me()) {
            throw new IllegalMonitorStateException("the monitor is not this thread's");
        }
    }
}
