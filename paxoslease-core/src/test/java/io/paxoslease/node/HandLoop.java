package io.paxoslease.node;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node's loop whose thread is the test's: it runs tasks one at a time, in order, until it is shut down. What is to be
 * repeated is repeated after each task; what is to happen once after a delay never happens.
 */
class HandLoop extends AbstractExecutorService implements ScheduledExecutorService {

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private Runnable repeated = () -> {};
    private @Nullable Runnable watcher;
    private boolean closed;

    /** From now on tasks are run by whoever hands them over, one at a time, and the watcher before each. */
    synchronized void runAtOnce(Runnable watching) {
        watcher = watching;
    }

    /** Runs tasks until the loop is shut down and none is left. */
    void runUntilShutdown() {
        for (Runnable task = take(); task != null; task = take()) {
            task.run();
            repeated.run();
        }
    }

    private synchronized @Nullable Runnable take() {
        while (tasks.isEmpty() && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a node's loop", e);
            }
        }
        return tasks.poll();
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (closed) {
            throw new RejectedExecutionException("the loop is shut down");
        }
        if (watcher != null) {
            watcher.run();
            task.run();
            return;
        }
        tasks.add(task);
        notifyAll();
    }

    @Override
    public synchronized void shutdown() {
        closed = true;
        notifyAll();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public synchronized boolean isShutdown() {
        return closed;
    }

    @Override
    public synchronized boolean isTerminated() {
        return closed && tasks.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return new Never<>();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        return new Never<>();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
        return new Never<>();
    }

    @Override
    public synchronized ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable task, long first, long delay, TimeUnit unit) {
        repeated = task;
        return new Never<>();
    }

    /** What is to happen at a time that never comes. */
    private static final class Never<V> implements ScheduledFuture<V> {

        @Override
        public long getDelay(TimeUnit unit) {
            return Long.MAX_VALUE;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }

        @Override
        public boolean cancel(boolean interrupt) {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public V get() {
            throw new IllegalStateException("never");
        }

        @Override
        public V get(long timeout, TimeUnit unit) {
            throw new IllegalStateException("never");
        }
    }
}
