package io.paxoslease.node;

import java.util.concurrent.TimeUnit;

/**
 * A thread that exists from the start of a node to its end, for the case that another thread of the node fails: it notices when the node's own
 * has ended, or beats no more ({@link LoopWatch}), and ends what rests on the node when that needs another attempt; and it looks after what
 * callers are owed. Otherwise it does nothing.
 */
final class FaultWatch implements Runnable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NodeRunner node;
    private final Runnable callbacks;
    private final Thread thread;
    private volatile boolean stopped;

    /** @param callbacks looks after them, and never throws */
    FaultWatch(String nodeId, NodeRunner node, Runnable callbacks) {
        this.node = node;
        this.callbacks = callbacks;
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
            look();
        }
    }

    /** Nothing may end this thread: without memory, even what needs none by itself can fail when the JVM runs it for the first time. */
    private void look() {
        try {
            Threads.park(PERIOD_NANOS);
            if (!stopped) {
                node.lookAfterFault();
                callbacks.run();
            }
        } catch (RuntimeException | Error withoutMemory) {
            return; // the next look does it
        }
    }
}
