package io.paxoslease.protocol;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * The cell's time rules (sections 3 and 7). T is a lease time, M the longest, rho the bound on how fast or slow any clock runs, and
 * gamma = (1 + rho) / (1 - rho): the fastest clock takes at least as long to count T x gamma as the slowest takes to count T. So an
 * acceptor that starts to count after the holder stops after it. Nanoseconds where a name says so. Immutable but for a cached result.
 */
public final class Timing {

    private static final int GUARD_DIVISOR = 4;

    /** Of one lease time: cells use few, and the exact arithmetic is slow. */
    private record Exclusion(long leaseNanos, long nanos) {}

    private final Duration maxLeaseTime;
    private final double drift;
    private final long maxLeaseNanos;
    private final long quarantineNanos;
    private final long aheadGuardNanos;
    private volatile Exclusion lastExclusion = new Exclusion(0, 0);

    /**
     * @param maxLeaseTime M: the longest lease that an acceptor grants
     * @param drift rho: the bound on the rate error of any clock
     */
    public Timing(Duration maxLeaseTime, double drift) {
        this(maxLeaseTime, maxLeaseTime, drift);
    }

    private Timing(Duration maxLeaseTime, Duration longest, double drift) {
        this.maxLeaseTime = maxLeaseTime;
        this.drift = drift;
        this.maxLeaseNanos = maxLeaseTime.toNanos();
        this.quarantineNanos = exclusion(longest.toNanos());
        long shortest = exclusion(maxLeaseNanos);
        this.aheadGuardNanos =
                shortest / GUARD_DIVISOR; // of two, the shorter: the quarantine after the change has to cover it
        this.lastExclusion = new Exclusion(maxLeaseNanos, shortest);
    }

    /**
     * While one set of rules follows another (section 9): the shorter of both longest leases is granted, with the wider bound on the
     * clocks, and a quarantine covers the longest lease of both.
     */
    public static Timing ofBoth(Timing before, Timing after) {
        boolean shrinks = after.maxLeaseNanos < before.maxLeaseNanos;
        return new Timing(
                shrinks ? after.maxLeaseTime : before.maxLeaseTime,
                shrinks ? before.maxLeaseTime : after.maxLeaseTime,
                Math.max(before.drift, after.drift));
    }

    /** M. */
    public Duration maxLeaseTime() {
        return maxLeaseTime;
    }

    /** rho. */
    public double drift() {
        return drift;
    }

    /** D_A(T) = T x gamma, rounded up: how long an acceptor excludes others. */
    public long exclusionNanos(long leaseNanos) {
        Exclusion last = lastExclusion;
        if (last.leaseNanos() != leaseNanos) {
            last = new Exclusion(leaseNanos, exclusion(leaseNanos));
            lastExclusion = last;
        }
        return last.nanos();
    }

    private long exclusion(long leaseNanos) {
        return scaled(leaseNanos, 1 + drift, 1 - drift, RoundingMode.CEILING);
    }

    /** The inverse of {@link #exclusionNanos}, rounded down: the longest T whose exclusion fits in the given time. */
    public long leaseNanosWithin(long exclusionNanos) {
        return scaled(exclusionNanos, 1 - drift, 1 + drift, RoundingMode.FLOOR);
    }

    /** M in nanoseconds. */
    public long maxLeaseNanos() {
        return maxLeaseNanos;
    }

    /** D_Q = M x gamma, rounded up: how long an acceptor that lost its memory stays silent. Of two sets of rules, the longest M. */
    public long quarantineNanos() {
        return quarantineNanos;
    }

    /** S = D_Q / 4: how far above an acceptor's own wall clock a ballot counter may be. */
    public long aheadGuardNanos() {
        return aheadGuardNanos;
    }

    private static long scaled(long nanos, double numerator, double denominator, RoundingMode mode) {
        return BigDecimal.valueOf(nanos)
                .multiply(new BigDecimal(numerator))
                .divide(new BigDecimal(denominator), 0, mode)
                .longValueExact();
    }
}
