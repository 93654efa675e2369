package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** The stops of elections of one application context that run in the background, for {@link StopBarrier}. Thread-safe. */
final class BackgroundStops {

    private final Map<Object, CompletableFuture<Void>> unfinished = new ConcurrentHashMap<>();

    /**
     * Runs the stop of a bean, in the background if the bean factory has barriers that wait for its end.
     *
     * @param beans of the bean; null: it is no bean, and its caller awaits the callback
     */
    static void start(@Nullable BeanFactory beans, String name, Runnable stop, Runnable callback) {
        if (beans == null) {
            BackgroundStop.start(name, stop, callback);
            return;
        }
        BackgroundStops known = beans.getBeanProvider(BackgroundStops.class).getIfAvailable();
        if (known != null) {
            known.start(name, stop, callback);
            return;
        }
        try {
            stop.run();
        } finally {
            callback.run();
        }
    }

    void start(String name, Runnable stop, Runnable callback) {
        Object key = new Object();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        unfinished.put(key, ended);
        BackgroundStop.start(name, stop, () -> {
            unfinished.remove(key);
            ended.complete(null);
            callback.run();
        });
    }

    /** Waits until all stops that have begun are done, for the given time at most. */
    void await(Duration atMost) {
        try {
            CompletableFuture.allOf(unfinished.values().toArray(CompletableFuture[]::new))
                    .get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            return; // each stop warns of what it waits for
        }
    }
}
