package io.paxoslease.transport;

import java.util.concurrent.TimeUnit;

/**
 * So many lines of the log in a minute, of those that messages from outside can cause, and how many were left out beyond them. Not
 * thread-safe.
 */
public final class LogRate {

    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int most;
    private boolean begun;
    private long sinceNanos;
    private int admitted;
    private long leftOut;

    /** @param most how many lines in a minute */
    public LogRate(int most) {
        this.most = most;
    }

    /**
     * Whether a line may be written now.
     *
     * @param nowNanos of a monotonic clock
     */
    public boolean admits(long nowNanos) {
        if (!begun || nowNanos - sinceNanos >= PERIOD_NANOS) {
            begun = true;
            sinceNanos = nowNanos;
            admitted = 0;
        }
        if (admitted < most) {
            admitted++;
            return true;
        }
        leftOut++;
        return false;
    }

    /** How many lines were left out since the last call that answered some; zero until the minute has passed. */
    public long takeLeftOut(long nowNanos) {
        if (leftOut == 0 || nowNanos - sinceNanos < PERIOD_NANOS) {
            return 0;
        }
        long count = leftOut;
        leftOut = 0;
        return count;
    }
}
