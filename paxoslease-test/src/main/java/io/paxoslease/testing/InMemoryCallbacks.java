package io.paxoslease.testing;

import io.paxoslease.node.Threads;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/** Where user code of a node of an in-memory cell runs, from a start to the next stop. Its state is guarded by the cell's time. */
final class InMemoryCallbacks implements Executor {

    private final InMemoryTime time;
    private final ThreadPoolExecutor executor;
    private int pending;
    /** The one that runs now is not waited for, nor are the ones behind it. */
    private boolean held;

    private @Nullable Thread thread;

    InMemoryCallbacks(InMemoryTime time, String nodeId) {
        this.time = time;
        this.executor = Threads.callbacks(nodeId);
        time.register(this);
    }

    @Override
    public void execute(Runnable code) {
        time.change(() -> pending++);
        try {
            executor.execute(() -> run(code));
        } catch (RejectedExecutionException | Error ended) { // or it has no thread
            time.change(() -> pending--);
            throw ended;
        }
    }

    private void run(Runnable code) {
        time.change(() -> thread = Thread.currentThread());
        try {
            code.run();
        } finally {
            time.change(() -> {
                thread = null;
                held = false;
                pending--;
                time.waitForCallbacksAgain();
            });
        }
    }

    boolean isWaitedFor() {
        return pending > 0 && !held;
    }

    void waitNoMore() {
        held = pending > 0;
    }

    boolean isCurrentThread() {
        return thread == Thread.currentThread();
    }

    /** What was handed over still runs, but the cell does not wait for it. */
    void close() {
        time.forget(this);
        executor.shutdown();
    }
}
