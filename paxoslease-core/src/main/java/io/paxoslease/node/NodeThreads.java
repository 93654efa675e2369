package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads of a node that has no event loop of the network's: its own, and the one where user code runs. */
final class NodeThreads {

    private static final long IDLE_SECONDS = 10;

    private NodeThreads() {}

    /** One daemon thread. */
    static ScheduledThreadPoolExecutor loop(String nodeId) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, Threads.daemon("paxoslease-" + nodeId));
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** Lets a loop end, and waits at most that long for its thread. One that never got a thread is not waited for. */
    static void end(ScheduledExecutorService loop, long nanos) {
        loop.shutdown();
        boolean hasThread = !(loop instanceof ThreadPoolExecutor pool) || pool.getPoolSize() > 0;
        if (hasThread) {
            Threads.awaitUninterruptibly(nanos, left -> loop.awaitTermination(left, TimeUnit.NANOSECONDS));
        }
    }

    /** Where user code runs: where the user wants it, or one daemon thread. */
    static final class Callbacks {

        private final @Nullable ThreadPoolExecutor own;
        private final Executor executor;

        Callbacks(PaxosLeaseOptions options) {
            Executor given = options.callbackExecutor();
            if (given == null) {
                ThreadPoolExecutor made = newThread(options.nodeId());
                this.own = made;
                this.executor = made;
            } else {
                this.own = null;
                this.executor = given;
            }
        }

        private static ThreadPoolExecutor newThread(String nodeId) {
            ThreadPoolExecutor executor = new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Threads.daemon("paxoslease-" + nodeId + "-callbacks"));
            executor.allowCoreThreadTimeOut(true);
            return executor;
        }

        Executor executor() {
            return executor;
        }

        /** What was handed over still runs. */
        void close() {
            if (own != null) {
                own.shutdown();
            }
        }
    }
}
