package io.paxoslease.protocol;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * The cell's time rules (sections 3 and 7). Every duration is in nanoseconds.
 *
 * @param maxLeaseTime M: the longest lease that an acceptor grants
 * @param drift rho: the bound on the rate error of any clock
 */
public record Timing(Duration maxLeaseTime, double drift) {

    private static final int GUARD_DIVISOR = 4;

    /** D_A(T) = T x gamma, rounded up: how long an acceptor excludes others. */
    public long exclusionNanos(long leaseNanos) {
        return scaled(leaseNanos, 1 + drift, 1 - drift, RoundingMode.CEILING);
    }

    /** The inverse of {@link #exclusionNanos}, rounded down: the longest T whose exclusion fits in the given time. */
    public long leaseNanosWithin(long exclusionNanos) {
        return scaled(exclusionNanos, 1 - drift, 1 + drift, RoundingMode.FLOOR);
    }

    /** M in nanoseconds. */
    public long maxLeaseNanos() {
        return maxLeaseTime.toNanos();
    }

    /** D_Q = M x gamma, rounded up: how long an acceptor that lost its memory stays silent. */
    public long quarantineNanos() {
        return exclusionNanos(maxLeaseNanos());
    }

    /** S = D_Q / 4: how far above an acceptor's own wall clock a ballot counter may be. */
    public long aheadGuardNanos() {
        return quarantineNanos() / GUARD_DIVISOR;
    }

    private static long scaled(long nanos, double numerator, double denominator, RoundingMode mode) {
        return BigDecimal.valueOf(nanos)
                .multiply(new BigDecimal(numerator))
                .divide(new BigDecimal(denominator), 0, mode)
                .longValueExact();
    }
}
