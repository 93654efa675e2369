package io.paxoslease.node;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the thread of a node beats. A thread can die between two tasks for want of memory without the loop being shut down; the next task that
 * is handed over starts another one. So a loop that has not beaten for a while is given a task. It must take it, and have beaten by the time that
 * the task runs. A loop that a task holds up, or a process that was stopped, is only late.
 */
final class LoopWatch {

    /** A task that was not run is given up after so many looks: the thread may have died once more. */
    private static final int AGAIN = 20;

    private final ScheduledExecutorService loop;
    private final Runnable ended;
    private final AtomicLong beats = new AtomicLong();
    private long seen;
    private int looks;
    private @Nullable ScheduledFuture<?> task;

    /** @param ended is called, by any thread and perhaps more than once, when the loop takes no task, or runs tasks and beats no more */
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
            return;
        }
        try {
            ScheduledFuture<?> last = task;
            if (last == null || last.isDone() || ++looks % AGAIN == 0) {
                task = loop.schedule(() -> endIfNotAfter(now), 0, TimeUnit.NANOSECONDS); // after a beat that is due
            }
        } catch (RuntimeException | Error failure) { // there is no other thread, or no memory to ask for one
            ended.run();
        }
    }

    private void endIfNotAfter(long beat) {
        if (beats.get() == beat) {
            ended.run();
        }
    }
}
