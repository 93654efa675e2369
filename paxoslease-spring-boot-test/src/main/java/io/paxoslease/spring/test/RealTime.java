package io.paxoslease.spring.test;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for other threads, whatever the clock of the cell says. */
final class RealTime {

    /** For callbacks that should return soon. */
    static final long LIMIT_MILLIS = 10_000;

    private final Object monitor = new Object();

    /**
     * Keeps the interrupt flag: the test's thread may be in a guarded call, which the awaited change interrupts.
     *
     * @return whether the condition was met in time
     */
    boolean await(long millis, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean interrupted = false;
        boolean met = condition.getAsBoolean();
        synchronized (monitor) {
            while (!met && System.nanoTime() - deadline < 0) {
                try {
                    monitor.wait(1);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                met = condition.getAsBoolean();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return met;
    }
}
