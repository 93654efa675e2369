package io.paxoslease.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what a real cell brings about in milliseconds, with a limit that only a defect or a dead machine reaches. */
public final class Eventually {

    /** Far above what anything takes that is waited for here. */
    public static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long STEP_NANOS = 1_000_000;

    private Eventually() {}

    public static void until(String what, BooleanSupplier condition) {
        until(what, LIMIT, condition);
    }

    /** With a limit for what takes several leases. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        long start = System.nanoTime();
        boolean over = false;
        while (!condition.getAsBoolean()) {
            if (over) {
                throw new AssertionError("Not within " + limit + ": " + what);
            }
            LockSupport.parkNanos(STEP_NANOS);
            over = System.nanoTime() - start
                    > limit.toNanos(); // it is looked at once more, as this process may have stood still
        }
    }
}
