package io.paxoslease.node;

import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a caller is owed, made before the cell is asked: to give the answer needs no further object, and what finds no memory is tried again by
 * {@link CallbackRunner#finish}. Completes the caller's future off the node's thread, once, however many executors have it.
 */
final class OwedAnswer<T extends @Nullable Object> extends CallbackRunner.Owed {

    private static final long RETRY_NANOS = 100_000_000;

    private final CallbackRunner runner;
    private final CompletableFuture<T> caller;
    /** Read and written by the thread alone that has taken this, as is the next one. */
    private @Nullable T value;

    private @Nullable Throwable failure;

    OwedAnswer(CallbackRunner runner, CompletableFuture<T> caller) {
        this.runner = runner;
        this.caller = caller;
    }

    /** Called once. Never throws. */
    void give(@Nullable T answer, @Nullable Throwable reason) {
        value = answer;
        failure = reason;
        runner.give(this);
    }

    /** A lease is released, as no other thread would. */
    @Override
    void withoutThread() {
        if (value instanceof Lease lease && take()) { // an executor that threw may have it
            lease.release();
            failure = explain(lease);
            value = null;
            giveBack();
        }
    }

    private static Throwable explain(Lease lease) {
        try {
            return new PaxosLeaseException(
                    "Lease '%s' was granted and has been released: no thread could be had to hand it over. See that the callback executor takes tasks, and that the process can create threads"
                            .formatted(Printable.name(lease.resource())));
        } catch (RuntimeException | Error withoutMemory) {
            return withoutMemory;
        }
    }

    /** After the end of the node no other thread tries it again. */
    @Override
    public void run() {
        while (!isDone() && runner.hasEnded()) {
            Threads.park(RETRY_NANOS);
        }
    }

    /** False when it is to be tried again; another thread may be at it. */
    private boolean isDone() {
        if (!take()) {
            return true;
        }
        try {
            complete();
        } catch (RuntimeException | Error withoutMemory) {
            if (!caller.isDone()) {
                giveBack();
                runner.finishLater(this);
                return false;
            }
        }
        if (value instanceof Lease lease && !isGiven(lease)) {
            lease.release();
        }
        return true;
    }

    @SuppressWarnings("NullAway") // null is an answer where the type says so
    private void complete() {
        Throwable reason = failure;
        if (reason == null) {
            caller.complete(value);
        } else {
            caller.completeExceptionally(reason);
        }
    }

    /** Else the caller has gone: the future was cancelled, or completed by another. */
    @SuppressWarnings("NullAway")
    private boolean isGiven(Lease lease) {
        return !caller.isCompletedExceptionally() && caller.getNow(null) == lease;
    }
}
