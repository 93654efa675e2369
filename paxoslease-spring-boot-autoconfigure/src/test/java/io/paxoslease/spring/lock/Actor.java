package io.paxoslease.spring.lock;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread that runs one task after another, so that one task can unlock the lock of an earlier one. */
final class Actor implements AutoCloseable {

    /** Only a defect or a dead machine takes so long. */
    static final long LIMIT_SECONDS = 30;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "test-actor");
        made.setDaemon(true);
        return made;
    });

    /** A task of this actor's thread. */
    @FunctionalInterface
    interface Deed {
        void run() throws Exception;
    }

    /** Begins, and waits for nothing. */
    <T extends @Nullable Object> Future<T> begins(Callable<T> question) {
        return thread.submit(question);
    }

    Future<?> begins(Deed deed) {
        return thread.submit(() -> {
            deed.run();
            return true;
        });
    }

    /** Waits for the result; exceptions come wrapped. */
    <T extends @Nullable Object> T asks(Callable<T> question) throws Exception {
        return done(begins(question));
    }

    void does(Deed deed) throws Exception {
        done(begins(deed));
    }

    static <T extends @Nullable Object> T done(Future<T> begun) throws Exception {
        return begun.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
