package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes this library's threads, and waits for them. */
public final class Threads {

    /** Something that another thread may end. */
    public interface Wait {

        /**
         * Waits for it.
         *
         * @param nanos how long at most; zero only looks
         * @return whether it ended
         */
        boolean await(long nanos) throws InterruptedException;
    }

    /** What goes on until it has an answer, or is interrupted. */
    public interface Attempt {

        boolean make() throws InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(Threads.class);
    private static final NodeClock REAL = new SystemClock();
    private static final long IDLE_SECONDS = 10;
    private static final int MOST_SUBSTITUTES = 64;
    private static final Executor SUBSTITUTE = substitute(daemon("paxoslease-callbacks"));

    private Threads() {}

    /** Makes the attempt again when it was interrupted, and keeps the interrupt flag. */
    public static boolean uninterruptibly(Attempt attempt) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return attempt.make();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits at most that long, also when interrupted, and keeps the interrupt flag.
     *
     * @return what the wait answered last
     */
    public static boolean awaitUninterruptibly(long nanos, Wait wait) {
        Moment deadline = REAL.read().moment().plusNanos(nanos);
        return uninterruptibly(() -> REAL.await(REAL.read().moment().nanosUntil(deadline), wait));
    }

    /** Waits for it that long in real time, as {@link NodeClock#await} says; whether it has been completed, and not by a failure. */
    public static boolean isDone(CompletableFuture<?> answer, long nanos) throws InterruptedException {
        try {
            answer.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Leaves the processor for that long, or until interrupted. Needs no memory and no clock of a node. */
    public static void park(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    /** Ends a {@link #park} of that thread. */
    static void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /** So many threads at most, which end while there is nothing to do. */
    public static ThreadPoolExecutor pool(int threads, int maxWaiting, ThreadFactory factory) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(maxWaiting), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** The one thread for the code of a node's users. */
    public static ThreadPoolExecutor callbacks(String nodeId) {
        return pool(1, Integer.MAX_VALUE, daemon("paxoslease-" + nodeId + "-callbacks"));
    }

    /**
     * Where code runs that its own executor does not take. It rejects what it has no thread for. The common pool would not do: it accepts
     * tasks also while it gets no thread, and never runs them.
     */
    static Executor substitute() {
        return SUBSTITUTE;
    }

    /** The same, with threads of that factory. */
    static Executor substitute(ThreadFactory factory) {
        return new ThreadPoolExecutor(
                0, MOST_SUBSTITUTES, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }

    /** Where the code of a node's users runs: where they want it, or on one thread. */
    public static Executor callbacks(PaxosLeaseOptions options) {
        Executor given = options.callbackExecutor();
        return given == null ? callbacks(options.nodeId()) : given;
    }

    /**
     * Gives what {@link #callbacks(PaxosLeaseOptions)} made another thread if tasks wait and its own has died for want of memory, as the next
     * task would, which may never come. Never throws.
     */
    public static void keep(Executor callbacks, PaxosLeaseOptions options) {
        if (callbacks instanceof ThreadPoolExecutor made && made != options.callbackExecutor()) {
            keep(made);
        }
    }

    private static void keep(ThreadPoolExecutor made) {
        try {
            if (!made.getQueue().isEmpty()) {
                made.prestartCoreThread();
            }
        } catch (RuntimeException | Error withoutThread) {
            return; // later
        }
    }

    /** Ends what {@link #callbacks(PaxosLeaseOptions)} made; what was handed over still runs: here if no thread can be had. */
    public static void end(Executor callbacks, PaxosLeaseOptions options) {
        if (callbacks instanceof ThreadPoolExecutor made && made != options.callbackExecutor()) {
            made.shutdown();
            keep(made);
            if (made.getPoolSize() == 0) {
                runRest(made);
            }
        }
    }

    /** Each task has its own guard. */
    private static void runRest(ThreadPoolExecutor made) {
        for (Runnable task = made.getQueue().poll();
                task != null;
                task = made.getQueue().poll()) {
            task.run();
        }
    }

    /** The thread of a node that has no event loop of the network's. */
    public static ScheduledThreadPoolExecutor loop(String nodeId) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, daemon("paxoslease-" + nodeId));
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** Lets that thread end, and waits at most that long. A loop that never got a thread is not waited for. */
    public static void end(ScheduledExecutorService loop, long nanos) {
        loop.shutdown();
        boolean hasThread = !(loop instanceof ThreadPoolExecutor pool) || pool.getPoolSize() > 0;
        if (hasThread) {
            awaitUninterruptibly(nanos, left -> loop.awaitTermination(left, TimeUnit.NANOSECONDS));
        }
    }

    /** Runs the code on the loop after that time, and answers the timer; never, with null, when the loop ends before. */
    static @Nullable ScheduledFuture<?> later(ScheduledExecutorService loop, Runnable code, long nanos) {
        try {
            return loop.schedule(code, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException over) {
            log.debug("The node has stopped", over);
            return null;
        }
    }

    /** Daemon threads of that name; a number follows from the second on. */
    public static ThreadFactory daemon(String name) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            int n = made.incrementAndGet();
            Thread thread = new Thread(task, n == 1 ? name : name + "-" + n);
            thread.setDaemon(true);
            return thread;
        };
    }
}
