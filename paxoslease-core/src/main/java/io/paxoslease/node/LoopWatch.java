package io.paxoslease.node;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the thread of a node beats. A thread can die between two tasks for want of memory without the loop being shut down; the next task that
 * is handed over starts another one. So a loop that has not beaten for a while is given a task. It must take it, and have beaten some looks after
 * it has run the first one: a beat that is due need not come before a task that was handed over later. A loop that a task holds up, or a process
 * that was stopped, is only late.
 */
final class LoopWatch {

    /** So many tasks, one at each look, without a beat between them. */
    private static final int MOST_TASKS = 4;
    /** A task that was not run is given up after so many looks: the thread may have died once more. */
    private static final int AGAIN = 20;

    private final ScheduledExecutorService loop;
    private final Runnable ended;
    private final AtomicLong beats = new AtomicLong();
    private long seen;
    private int looks;
    private int tasks;
    private @Nullable ScheduledFuture<?> task;

    /** @param ended is called, by the thread that looks and perhaps more than once, when the loop takes no task, or runs tasks and beats no more */
    LoopWatch(ScheduledExecutorService loop, Runnable ended) {
        this.loop = loop;
        this.ended = ended;
    }

    /** On the loop. */
    void beat() {
        beats.incrementAndGet();
    }

    /** By one other thread, less often than the loop beats. Never throws. */
    void look() {
        long now = beats.get();
        if (now != seen) {
            seen = now;
            looks = 0;
            tasks = 0;
            task = null;
            return;
        }
        ScheduledFuture<?> last = task;
        boolean hasRun = last != null && last.isDone();
        if (hasRun && ++tasks >= MOST_TASKS) {
            ended.run();
            return;
        }
        if (last == null || hasRun || ++looks % AGAIN == 0) {
            giveTask();
        }
    }

    private void giveTask() {
        try {
            task = loop.schedule(() -> true, 0, TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error failure) { // there is no other thread, or no memory to ask for one
            ended.run();
        }
    }
}
