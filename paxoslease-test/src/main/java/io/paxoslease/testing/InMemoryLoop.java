package io.paxoslease.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a node in an in-memory cell, from a start to the next stop: its tasks run on the cell's thread, in the cell's time.
 * Another thread that hands over a task gets back when it has run, and all that followed from it at that instant.
 */
final class InMemoryLoop extends AbstractExecutorService implements ScheduledExecutorService {

    private final InMemoryTime time;
    /** What became due while the loop stood still. */
    private final List<InMemoryTask<?>> kept = new ArrayList<>();

    /** Distinguishes suspensions; null while the loop runs. */
    private @Nullable Object suspension;

    private volatile boolean dead;

    InMemoryLoop(InMemoryTime time) {
        this.time = time;
    }

    /** On the cell's thread. */
    boolean takes(InMemoryTask<?> task) {
        if (suspension != null && !dead) {
            kept.add(task);
        }
        return suspension == null && !dead;
    }

    /** On the cell's thread. From now on tasks wait. */
    void suspend() {
        suspension = new Object();
    }

    /** On the cell's thread. What waited runs first, in the order in which it would have run. */
    void resume() {
        suspension = null;
        kept.forEach(time::putBack);
        kept.clear();
    }

    /** On the cell's thread. */
    @Nullable
    Object suspension() {
        return suspension;
    }

    /** From the network; does not wait for it. */
    void arrive(Runnable task) {
        if (!dead) {
            time.add(task(task, 0), 0);
        }
    }

    @Override
    public void execute(Runnable task) {
        if (dead) {
            throw new RejectedExecutionException("the node has ended");
        }
        time.hand(task(task, 0));
    }

    private InMemoryTask<?> task(Runnable code, long pauseNanos) {
        return new InMemoryTask<>(time, this, Executors.callable(code), pauseNanos);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable code, long delay, TimeUnit unit) {
        return enter(task(code, 0), unit.toNanos(delay));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> code, long delay, TimeUnit unit) {
        return enter(new InMemoryTask<>(time, this, code, 0), unit.toNanos(delay));
    }

    /** The same as with a fixed delay, as tasks take no time. */
    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable code, long first, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(code, first, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable code, long first, long delay, TimeUnit unit) {
        return enter(task(code, unit.toNanos(delay)), unit.toNanos(first));
    }

    private <V> ScheduledFuture<V> enter(InMemoryTask<V> task, long delayNanos) {
        if (dead) {
            throw new RejectedExecutionException("the node has ended");
        }
        time.add(task, Math.max(0, delayNanos));
        return task;
    }

    /** What is left is dropped. */
    @Override
    public void shutdown() {
        dead = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return dead;
    }

    @Override
    public boolean isTerminated() {
        return dead;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return dead;
    }
}
