package io.paxoslease.testing;

import java.util.concurrent.CountDownLatch;

/** Waits of work that does not end when it is interrupted. */
public final class Latches {

    private Latches() {}

    /** Waits until the latch is open, whatever interrupts the thread; the interrupt is forgotten. */
    public static void awaitStubbornly(CountDownLatch latch) {
        boolean ended = false;
        while (!ended) {
            try {
                latch.await();
                ended = true;
            } catch (InterruptedException e) {
                ended = false;
            }
        }
    }
}
