package io.paxoslease.node;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Names this library's threads, and waits for them. */
public final class Threads {

    /** Something that another thread may end. */
    public interface Wait {

        /**
         * Waits for it.
         *
         * @param nanos how long at most; zero only looks
         * @return whether it ended
         */
        boolean await(long nanos) throws InterruptedException;
    }

    private Threads() {}

    /**
     * Waits at most that long, also when interrupted, and keeps the interrupt flag.
     *
     * @return what the wait answered last
     */
    public static boolean awaitUninterruptibly(long nanos, Wait wait) {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return wait.await(Math.max(0, deadline - System.nanoTime()));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Daemon threads of that name; a number follows from the second on. */
    public static ThreadFactory daemon(String name) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            int n = made.incrementAndGet();
            Thread thread = new Thread(task, n == 1 ? name : name + "-" + n);
            thread.setDaemon(true);
            return thread;
        };
    }
}
