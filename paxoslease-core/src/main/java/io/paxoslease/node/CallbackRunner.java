package io.paxoslease.node;

import io.paxoslease.protocol.Printable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs users' code off the node's thread, whatever the callback executor and the code itself throw: an Error of either must not
 * end the node, keep a lease held, or leave a future open. Thread-safe.
 */
final class CallbackRunner {

    private static final Logger log = LoggerFactory.getLogger(CallbackRunner.class);
    private static final long RETRY_MILLIS = 1_000;

    private final String nodeId;
    private final Executor executor;
    private final Executor substitute;
    private final ScheduledExecutorService loop;
    /** Whether the executor's failure has been logged, and it has not taken a task since. */
    private final AtomicBoolean failureTold = new AtomicBoolean();
    /** Whether the node has found a fault in itself, so that its thread is needed for nothing else. */
    private volatile boolean nodeFailed;

    private volatile boolean ended;
    private final Unfinished<OwedAnswer<?>> unfinished = new Unfinished<>();

    CallbackRunner(String nodeId, Executor executor, ScheduledExecutorService loop) {
        this(nodeId, executor, ForkJoinPool.commonPool(), loop);
    }

    /**
     * @param executor where the user wants it
     * @param substitute where code runs that the executor does not take
     * @param loop tries again later what neither takes
     */
    CallbackRunner(String nodeId, Executor executor, Executor substitute, ScheduledExecutorService loop) {
        this.nodeId = nodeId;
        this.executor = executor;
        this.substitute = substitute;
        this.loop = loop;
    }

    /** From now on what no executor takes is run by the thread that tries it again, at the second attempt. */
    void nodeFailed() {
        nodeFailed = true;
    }

    /**
     * Runs the code once: now, or, as long as no thread can be had for it, when one can. Throws an Error when there is no memory to remember
     * it.
     */
    void run(Runnable code) {
        Task task = new Task(code);
        if (!hand(task)) {
            tryLater(task);
        }
    }

    /** What the caller will be answered with: to be made before the question is asked. */
    <T extends @Nullable Object> OwedAnswer<T> owe(CompletableFuture<T> caller) {
        return new OwedAnswer<>(this, caller);
    }

    /** Never throws. */
    void give(OwedAnswer<?> owed) {
        if (!hand(owed)) {
            owed.withoutThread();
            finishLater(owed);
            if (ended) {
                finish();
            }
        }
    }

    /** By {@link #finish}, which the node calls at the end of each task, and another thread of its own twice a second. */
    void finishLater(OwedAnswer<?> owed) {
        unfinished.add(owed);
    }

    /** Gives what could not be given: to a thread if there is one; else, if the node has failed or ended, here. By any thread. Never throws. */
    void finish() {
        if (!unfinished.isEmpty()) {
            finishAll();
        }
    }

    private void finishAll() {
        for (OwedAnswer<?> owed = unfinished.poll(); owed != null; owed = unfinished.poll()) {
            if (!owed.isTaken() && !hand(owed)) {
                if (nodeFailed || ended) {
                    owed.run();
                } else {
                    unfinished.add(owed);
                }
            }
            if (unfinished.has(owed)) {
                return; // again later
            }
        }
    }

    /** The node has stopped: nothing calls {@link #finish} any more. */
    void end() {
        ended = true;
        finish();
    }

    boolean hasEnded() {
        return ended;
    }

    /** An executor that throws may have taken the task all the same: it is run once. */
    private boolean hand(Runnable task) {
        try {
            executor.execute(task);
            failureTold.set(false);
            return true;
        } catch (RuntimeException
                | Error failure) { // full, or stopped, or broken, or without a thread: it is the user's
            tell(failure);
        }
        try {
            substitute.execute(task);
            return true;
        } catch (RuntimeException | Error withoutThread) {
            return false;
        }
    }

    /** The callback matters more than the line. */
    private void tell(Throwable failure) {
        if (!(failure instanceof RejectedExecutionException) && failureTold.compareAndSet(false, true)) {
            try {
                log.warn(
                        "The callback executor of node '{}' takes no tasks: callbacks run on the common pool until it does. See that"
                                + " the executor is initialized, and that the process can create threads",
                        Printable.name(nodeId),
                        failure);
            } catch (RuntimeException | Error silent) {
                failureTold.set(false);
            }
        }
    }

    /** One timer for all attempts: a further one may find no memory for another. */
    private void tryLater(Task task) {
        try {
            task.attempts = loop.scheduleWithFixedDelay(
                    () -> tryAgain(task), RETRY_MILLIS, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException over) {
            task.run(); // the node has stopped, so its thread is needed for nothing else
        }
    }

    /** Throws nothing, which would end the timer. */
    private void tryAgain(Task task) {
        if (!task.isTaken() && !hand(task) && nodeFailed) {
            task.run();
        }
        ScheduledFuture<?> attempts = task.attempts;
        if (task.isTaken() && attempts != null) {
            attempts.cancel(false);
        }
    }

    /** A piece of users' code that is run once, however many executors have it. */
    private static final class Task implements Runnable {

        private final Runnable code;
        private final AtomicBoolean taken = new AtomicBoolean();
        /** Where neither executor took it at once. */
        private volatile @Nullable ScheduledFuture<?> attempts;

        Task(Runnable code) {
            this.code = code;
        }

        boolean take() {
            return taken.compareAndSet(false, true);
        }

        boolean isTaken() {
            return taken.get();
        }

        private static void tellOf(Throwable failure) {
            try {
                log.warn("A listener failed", failure);
            } catch (RuntimeException | Error silent) {
                return; // it has run
            }
        }

        @Override
        public void run() {
            if (!take()) {
                return;
            }
            try {
                code.run();
            } catch (Exception | Error e) { // user code, which may throw undeclared
                tellOf(e);
            }
        }
    }
}
