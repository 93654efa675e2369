package io.paxoslease.shell;

import io.paxoslease.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets a few threads run into each other, in many short rounds: each round, all of them start from one barrier, after delays
 * that differ by nanoseconds to microseconds. The property {@code shell.rounds} multiplies the number of rounds.
 */
public final class Race implements AutoCloseable {

    private static final int LONGEST_DELAY = 400;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "test-race");
        thread.setDaemon(true);
        return thread;
    });
    private final SplittableRandom random = new SplittableRandom();

    /** One thread's part of a round. */
    @FunctionalInterface
    public interface Part {
        void run() throws InterruptedException;
    }

    /** How many rounds to run, where the default build runs that many. */
    public static int rounds(int byDefault) {
        return byDefault * Integer.getInteger("shell.rounds", 1);
    }

    /** Runs the parts at the same time; returns when all have ended, and throws what one of them threw. */
    public void run(Part... parts) throws InterruptedException {
        CyclicBarrier start = new CyclicBarrier(parts.length);
        List<Future<?>> running = new ArrayList<>();
        for (Part part : parts) {
            int delay = random.nextInt(LONGEST_DELAY);
            running.add(threads.submit(() -> {
                awaitAll(start);
                for (int i = 0; i < delay; i++) {
                    Thread.onSpinWait();
                }
                part.run();
                return null;
            }));
        }
        for (Future<?> part : running) {
            finish(part);
        }
    }

    private static void awaitAll(CyclicBarrier start) throws InterruptedException, BrokenBarrierException {
        start.await();
    }

    private static void finish(Future<?> part) throws InterruptedException {
        try {
            part.get(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("A part of the race failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("A part of the race hangs", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
