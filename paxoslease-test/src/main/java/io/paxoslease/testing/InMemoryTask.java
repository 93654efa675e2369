package io.paxoslease.testing;

import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A task of an in-memory cell, at one time or periodic. */
final class InMemoryTask<V extends @Nullable Object> extends FutureTask<V> implements ScheduledFuture<V> {

    /** By time; of equal times in the order of entry. */
    static final Comparator<InMemoryTask<?>> ORDER =
            Comparator.<InMemoryTask<?>>comparingLong(task -> task.due).thenComparingLong(task -> task.entry);

    private static final Logger log = LoggerFactory.getLogger(InMemoryTask.class);

    private final InMemoryTime time;
    private final @Nullable InMemoryLoop loop;
    private final long pauseNanos;
    private long due;
    private long entry;

    /**
     * @param loop whose task it is; null for what concerns the whole cell
     * @param pauseNanos how long after each run the next one follows; zero: it runs once
     */
    InMemoryTask(InMemoryTime time, @Nullable InMemoryLoop loop, Callable<V> code, long pauseNanos) {
        super(code);
        this.time = time;
        this.loop = loop;
        this.pauseNanos = pauseNanos;
    }

    /** The place of this task among all others; set before it is queued. */
    void enter(long dueNanos, long number) {
        due = dueNanos;
        entry = number;
    }

    long due() {
        return due;
    }

    /** Whether its loop takes it now. A loop that stands still keeps it for later. */
    boolean isTaken() {
        return loop == null || loop.takes(this);
    }

    @Override
    public void run() {
        if (pauseNanos == 0) {
            super.run();
        } else if (runAndReset()) {
            time.add(this, pauseNanos);
        }
    }

    /** Never interrupts: the thread is the whole cell's. */
    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean cancelled = super.cancel(false);
        if (cancelled) {
            time.remove(this);
        }
        return cancelled;
    }

    @Override
    protected void setException(Throwable fault) {
        log.warn("A task of an in-memory cell failed", fault);
        super.setException(fault);
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(time.read().moment().nanosUntil(time.moment(due)), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
