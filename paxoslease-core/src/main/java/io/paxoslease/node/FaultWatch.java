package io.paxoslease.node;

import java.util.concurrent.TimeUnit;

/**
 * A thread that exists from the start of a node, for the case that the node's own thread fails: it notices when that has ended, or beats no
 * more ({@link LoopWatch}), and ends what rests on the node when that needs another attempt. Otherwise it does nothing.
 */
final class FaultWatch implements Runnable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NodeRunner node;
    private final Thread thread;
    private volatile boolean stopped;

    FaultWatch(String nodeId, NodeRunner node) {
        this.node = node;
        this.thread = Threads.daemon("paxoslease-" + nodeId + "-faults").newThread(this);
    }

    void start() {
        thread.start();
    }

    /** Does not wait for the thread. */
    void stop() {
        stopped = true;
        Threads.unpark(thread);
    }

    @Override
    public void run() {
        while (!stopped) {
            Threads.park(PERIOD_NANOS);
            if (!stopped && node.lookAfterFault()) {
                return;
            }
        }
    }
}
