package io.paxoslease.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for a future that completes in milliseconds, unless something is broken. */
public final class Futures {

    private Futures() {}

    public static <T> T get(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("No answer: " + e, e);
        }
    }
}
