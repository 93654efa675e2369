package io.paxoslease.spring.leader;

import java.util.function.LongSupplier;

/** For how long a watch has not been current: what it tells then may have changed since. Thread-safe. */
final class Stall {

    private final LongSupplier nanoTime;
    private boolean lasts;
    private long since;

    Stall(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** From the first call that said that it is not current; 0 while it is. */
    synchronized long nanos(boolean isCurrent) {
        long now = nanoTime.getAsLong();
        if (isCurrent || !lasts) {
            since = now;
        }
        lasts = !isCurrent;
        return now - since;
    }
}
