package io.paxoslease.node;

import io.paxoslease.protocol.Printable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

    private static final Executor HERE = Runnable::run;

    private final String nodeId;
    private final Executor executor;
    private final Executor substitute;
    /** Whether the executor's failure has been logged, and it has not taken a task since. */
    private final AtomicBoolean failureTold = new AtomicBoolean();
    /** Whether the node has found a fault in itself, so that its thread is needed for nothing else. */
    private volatile boolean nodeFailed;

    private volatile boolean ended;
    private final Unfinished<Owed> unfinished = new Unfinished<>();

    /** What is to be run once, however many executors have it; without one that takes it, later. */
    abstract static class Owed extends Unfinished.Link implements Runnable {

        private final AtomicBoolean taken = new AtomicBoolean();

        /** Whether the thread that asks is to run it. */
        final boolean take() {
            return taken.compareAndSet(false, true);
        }

        /** It is to be run again. */
        final void giveBack() {
            taken.set(false);
        }

        /** Whether a thread runs it, or has. */
        final boolean isTaken() {
            return taken.get();
        }

        /** No thread can be told of it now. Never throws. */
        void withoutThread() {}
    }

    CallbackRunner(String nodeId, Executor executor) {
        this(nodeId, executor, Threads.substitute());
    }

    /**
     * @param executor where the user wants it
     * @param substitute where code runs that the executor does not take
     */
    CallbackRunner(String nodeId, Executor executor, Executor substitute) {
        this.nodeId = nodeId;
        this.executor = executor;
        this.substitute = substitute;
    }

    /** From now on what no executor takes is run by the thread that tries it again. */
    void nodeFailed() {
        nodeFailed = true;
    }

    /**
     * Runs the code once: now, or, as long as no thread can be had for it, when one can. Throws an Error when there is no memory to remember
     * it.
     */
    void run(Runnable code) {
        give(new Task(code));
    }

    /** What the caller will be answered with: to be made before the question is asked. */
    <T extends @Nullable Object> OwedAnswer<T> owe(CompletableFuture<T> caller) {
        return new OwedAnswer<>(this, caller);
    }

    /** Never throws. */
    void give(Owed owed) {
        if (!hand(owed)) {
            owed.withoutThread();
            finishLater(owed);
            if (ended) {
                finish();
            }
        }
    }

    /** By {@link #finish}, which the node calls at the end of each task, and another thread of its own twice a second. */
    void finishLater(Owed owed) {
        unfinished.add(owed);
    }

    /** Gives what could not be given: to a thread if there is one; else, if the node has failed or ended, here. By any thread. Never throws. */
    void finish() {
        if (!unfinished.isEmpty()) {
            finishAll();
        }
    }

    private void finishAll() {
        for (Owed owed = unfinished.poll(); owed != null; owed = unfinished.poll()) {
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
        Throwable failure =
                failureOf(executor, task); // full, or stopped, or broken, or without a thread: it is the user's
        if (failure == null) {
            failureTold.set(false);
            return true;
        }
        tell(failure);
        try {
            substitute.execute(task);
            return true;
        } catch (RuntimeException | Error withoutThread) {
            return false;
        }
    }

    /** What users' code throws; null: nothing. Makes no object. */
    private static @Nullable Throwable failureOf(Executor executor, Runnable task) {
        try {
            executor.execute(task);
            return null;
        } catch (Exception | Error e) { // user code, which may throw undeclared
            return e;
        }
    }

    /** The callback matters more than the line. */
    private void tell(Throwable failure) {
        if (!(failure instanceof RejectedExecutionException) && failureTold.compareAndSet(false, true)) {
            try {
                log.warn(
                        "The callback executor of node '{}' takes no tasks: callbacks run on other threads until it does. See that"
                                + " the executor is initialized, and that the process can create threads",
                        Printable.name(nodeId),
                        failure);
            } catch (RuntimeException | Error silent) {
                failureTold.set(false);
            }
        }
    }

    /** A piece of users' code. */
    private static final class Task extends Owed {

        private final Runnable code;

        Task(Runnable code) {
            this.code = code;
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
            Throwable failure = failureOf(HERE, code);
            if (failure != null) {
                tellOf(failure);
            }
        }
    }
}
