package io.paxoslease.spring.actuate;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a store of members for people, on a thread of its own: a store that hangs delays the caller no longer than it wants
 * to wait, and is not asked again before it has answered. Thread-safe.
 */
final class MembershipStoreProbe {

    /** What is stored, null also if it is not known; and why it is not known. */
    record Result(@Nullable Membership stored, @Nullable String problem) {}

    private final MembershipStore store;
    private @Nullable FutureTask<Result> latest;
    private long begun;

    MembershipStoreProbe(MembershipStore store) {
        this.store = store;
    }

    /**
     * What the store says.
     *
     * @param age how old an answer may be
     * @param patience how long to wait for one
     */
    Result result(Duration age, Duration patience) {
        FutureTask<Result> reading = reading(age);
        try {
            return reading.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return new Result(
                    null, "The %s has not answered for %d s".formatted(store.describe(), secondsSinceBegin()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(null, "Interrupted before the %s answered".formatted(store.describe()));
        } catch (ExecutionException e) {
            return new Result(null, "The %s cannot be read: %s".formatted(store.describe(), e.getCause()));
        }
    }

    private synchronized FutureTask<Result> reading(Duration age) {
        FutureTask<Result> current = latest;
        if (current == null || (current.isDone() && System.nanoTime() - begun >= age.toNanos())) {
            current = new FutureTask<>(this::read);
            latest = current;
            begun = System.nanoTime();
            Thread thread = new Thread(current, "paxoslease-membership-store");
            thread.setDaemon(true);
            thread.start();
        }
        return current;
    }

    private Result read() {
        try {
            return new Result(store.read(), null);
        } catch (IOException e) {
            return new Result(null, String.valueOf(e.getMessage()));
        }
    }

    private synchronized long secondsSinceBegin() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
    }

    String describe() {
        return store.describe();
    }
}
