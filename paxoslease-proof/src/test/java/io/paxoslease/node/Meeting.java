package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.interleaving.Interleavings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Helps scenarios of threads that meet. */
public final class Meeting {

    /** What one thread does. */
    public interface Part {
        void run() throws InterruptedException;
    }

    private Meeting() {}

    /** In any order, the first on the calling thread, each other on one of its own; returns when all have ended. */
    public static void of(Part first, Part... others) throws InterruptedException {
        Interleavings.vary(true);
        List<Thread> threads = new ArrayList<>();
        for (Part other : others) {
            threads.add(start(other));
        }
        first.run();
        for (Thread thread : threads) {
            thread.join();
        }
        Interleavings.vary(false);
    }

    /** On a thread of its own, which has got as far as it can by itself when this returns. */
    public static Thread ahead(Part part) {
        Thread thread = start(part);
        Interleavings.settle();
        return thread;
    }

    private static Thread start(Part part) {
        Thread thread = new Thread(
                () -> {
                    try {
                        part.run();
                    } catch (InterruptedException e) {
                        throw new AssertionError("not interrupted by this scenario", e);
                    }
                },
                "part");
        thread.start();
        return thread;
    }

    /** On a loop of its own, and a clock that stands still. */
    public static PaxosLease startedNode() {
        PaxosLease node = HandEnvironment.node(new HandClock(), message -> {});
        node.start();
        return node;
    }

    /** No thread has it, and no node keeps it. */
    public static void checkFree(PaxosLease node, String resource) throws InterruptedException {
        node.tryAcquire(
                        resource,
                        AcquireOptions.builder().maxWait(Duration.ZERO).build())
                .orElseThrow(() -> new AssertionError(resource + " is not free"))
                .release();
    }

    public static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
