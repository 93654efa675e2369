package io.paxoslease.node;

import io.paxoslease.protocol.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

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

    private static final NodeClock REAL = new SystemClock();

    private Threads() {}

    /**
     * Waits at most that long, also when interrupted, and keeps the interrupt flag.
     *
     * @return what the wait answered last
     */
    public static boolean awaitUninterruptibly(long nanos, Wait wait) {
        Moment deadline = REAL.read().moment().plusNanos(nanos);
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return REAL.await(REAL.read().moment().nanosUntil(deadline), wait);
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

    /** Waits for it that long in real time, as {@link NodeClock#await} says; whether it has been completed, and not by a failure. */
    public static boolean isDone(CompletableFuture<?> answer, long nanos) throws InterruptedException {
        try {
            answer.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Leaves the processor for that long, or until interrupted. Needs no memory and no clock of a node. */
    public static void park(long nanos) {
        LockSupport.parkNanos(nanos);
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
