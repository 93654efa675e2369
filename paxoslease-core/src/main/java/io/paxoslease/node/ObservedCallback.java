package io.paxoslease.node;

import io.paxoslease.monitor.NodeObserver;
import org.jspecify.annotations.Nullable;

/** A callback of the application's in the hands of an observer, which may fail to run it. Of one thread. */
final class ObservedCallback implements NodeObserver.Callback {

    private final NodeObserver.Callback callback;
    private boolean hasRun;
    private @Nullable Throwable thrown;

    ObservedCallback(NodeObserver.Callback callback) {
        this.callback = callback;
    }

    @Override
    public void run() throws InterruptedException {
        if (hasRun) {
            return;
        }
        hasRun = true;
        try {
            callback.run();
        } catch (InterruptedException | RuntimeException | Error e) { // user code
            thrown = e;
            throw e;
        }
    }

    boolean hasThrown(Throwable failure) {
        return failure == thrown;
    }

    /** Runs it, unless that is done; throws what it threw. */
    void finish() throws InterruptedException {
        run();
        Throwable failure = thrown;
        if (failure != null) {
            ObservedCallback.<RuntimeException>raise(failure);
        }
    }

    /** As it is: {@link #run} declares what it may be. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable failure) throws T {
        throw (T) failure;
    }
}
