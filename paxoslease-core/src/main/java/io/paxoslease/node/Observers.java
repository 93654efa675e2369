package io.paxoslease.node;

import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.protocol.Printable;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everybody who observes a node. Thread-safe. */
public final class Observers {

    private static final Logger log = LoggerFactory.getLogger(Observers.class);

    private static final long RETRY_NANOS = 100_000_000;

    private final List<NodeObserver> all = new CopyOnWriteArrayList<>();

    void add(NodeObserver observer) {
        all.add(observer);
    }

    void remove(NodeObserver observer) {
        all.remove(observer);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    public void tell(Consumer<NodeObserver> what) {
        for (NodeObserver observer : all) {
            tell(observer, what);
        }
    }

    public static void tell(NodeObserver observer, Consumer<NodeObserver> what) {
        try {
            what.accept(observer);
        } catch (RuntimeException | Error e) { // somebody else's code, on the node's thread or an election's
            log.warn("{} failed", Printable.text(observer), e);
        }
    }

    /**
     * Inside of every observer, the first one outermost. The callback is run once, and what it throws is thrown, whatever they
     * do.
     */
    public void around(NodeObserver.Kind kind, String name, NodeObserver.Callback callback)
            throws InterruptedException {
        NodeObserver.Callback whole = callback;
        List<NodeObserver> present = List.copyOf(all);
        for (int i = present.size() - 1; i >= 0; i--) {
            NodeObserver observer = present.get(i);
            NodeObserver.Callback inner = whole;
            whole = () -> around(observer, kind, name, new ObservedCallback(inner));
        }
        whole.run();
    }

    /**
     * The same for code that has a result, or throws checked exceptions.
     *
     * @param name is not asked for when nothing observes
     */
    public <T extends @Nullable Object> T call(NodeObserver.Kind kind, Supplier<String> name, Callable<T> callback)
            throws Exception {
        if (isEmpty()) {
            return callback.call();
        }
        AtomicReference<T> result = new AtomicReference<>();
        AtomicReference<@Nullable Exception> thrown = new AtomicReference<>();
        around(kind, name.get(), () -> {
            try {
                result.set(callback.call());
            } catch (Exception failure) { // user code: the caller declares what it throws
                thrown.set(failure);
                Observers.<RuntimeException>raise(failure);
            }
        });
        Exception failure = thrown.get();
        if (failure != null) { // and an observer has kept it
            throw failure;
        }
        return result.get();
    }

    /**
     * The same, until the callback has been called: what comes before it may want memory. Nothing is thrown.
     *
     * @param onFailure told of what the callback or an observer has thrown; may want memory too
     */
    public void callSurely(
            NodeObserver.Kind kind, Supplier<String> name, Callable<?> callback, Consumer<Throwable> onFailure) {
        AtomicBoolean called = new AtomicBoolean();
        while (!called.get()) {
            try {
                call(kind, name, () -> {
                    called.set(true);
                    return callback.call();
                });
            } catch (Exception | Error e) { // user code, which may throw undeclared
                tellOf(e, onFailure, called.get());
            }
        }
    }

    private static void tellOf(Throwable failure, Consumer<Throwable> onFailure, boolean wasCalled) {
        try {
            onFailure.accept(failure);
        } catch (RuntimeException | Error silent) {
            Threads.park(wasCalled ? 0 : RETRY_NANOS);
        }
    }

    /** As it is: the caller of {@link #call} declares what it may be. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable failure) throws T {
        throw (T) failure;
    }

    /** The same for code that does not end by an interrupt: one that an observer meets is left to its thread. */
    void aroundListener(NodeObserver.Kind kind, String name, Runnable listener) {
        try {
            around(kind, name, listener::run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void around(NodeObserver observer, NodeObserver.Kind kind, String name, ObservedCallback callback)
            throws InterruptedException {
        try {
            observer.around(kind, name, callback);
        } catch (InterruptedException | RuntimeException | Error e) { // the callback's, or the observer's own
            if (!callback.hasThrown(e)) {
                log.warn("{} failed", Printable.text(observer), e);
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        callback.finish();
    }

    /** A callback of the application's in the hands of an observer, which may fail to run it. Of one thread. */
    private static final class ObservedCallback implements NodeObserver.Callback {

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
                Observers.<RuntimeException>raise(failure);
            }
        }
    }
}
