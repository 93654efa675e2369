package io.paxoslease.shards;

import io.paxoslease.node.LocalNode;
import io.paxoslease.protocol.Moment;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a task again and again: after each {@link #wake}, and when it is due. Any thread wakes it. */
final class Turns {

    /** After a long turn comes a rest that is longer by that factor: events that come meanwhile cost one plan, and the processor is left to others. */
    private static final long RESTS = 2;

    private static final long LONGEST_REST = 500_000_000;

    /** After a turn that takes less there is no rest. */
    private static final long SHORT = 5_000_000;

    private final LocalNode node;
    private final Executor thread;
    private final Supplier<@Nullable Moment> task;
    private final AtomicBoolean isAwake = new AtomicBoolean();
    private volatile @Nullable Moment notBefore;
    private @Nullable ScheduledFuture<?> timer;
    private @Nullable Moment timerAt;
    /** The run of the node that the timer is of: with it the timer ends. */
    private @Nullable Object timerOf;

    /**
     * @param thread runs the task where the node has no thread of its own for that
     * @param task answers when it is due next; null if it need not be
     */
    Turns(LocalNode node, Executor thread, Supplier<@Nullable Moment> task) {
        this.node = node;
        this.thread = thread;
        this.task = task;
    }

    /** Runs the task soon. Never throws: without memory or a thread for it, a later call or the timer does. */
    void wake() {
        if (isAwake.compareAndSet(false, true) && !hand(node.groups().worker(thread)) && !hand(thread)) {
            isAwake.set(false);
        }
    }

    private boolean hand(Executor executor) {
        try {
            executor.execute(this::run);
            return true;
        } catch (RejectedExecutionException | Error refused) {
            return false;
        }
    }

    private void run() {
        isAwake.set(false);
        Moment begin = now();
        Moment restsUntil = notBefore;
        if (restsUntil != null
                && begin.isBefore(restsUntil)
                && node.groups().life() != null) { // else there is no timer for the end of the rest
            lookAt(restsUntil);
            return;
        }
        Moment next = task.get();
        Moment end = now();
        long took = begin.nanosUntil(end);
        notBefore = took < SHORT ? null : end.plusNanos(Math.min(LONGEST_REST, RESTS * took));
        if (next != null) {
            lookAt(next);
        }
    }

    private Moment now() {
        return node.groups().clock().read().moment();
    }

    private synchronized void lookAt(Moment next) {
        Moment now = now();
        if (!now.isBefore(next)) {
            wake();
            return;
        }
        Object life = node.groups().life();
        if (timer != null && timerAt != null && !next.isBefore(timerAt) && life == timerOf) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
            timer = null; // there may be no memory for the next one
        }
        timerAt = next; // first: it may fire at once
        timerOf = life;
        timer = node.groups().later(() -> fire(next), now.nanosUntil(next));
    }

    private void fire(Moment due) {
        synchronized (this) {
            if (due.equals(timerAt)) {
                timer = null; // first: the task sets the next one
                timerAt = null;
            }
        }
        wake();
    }
}
