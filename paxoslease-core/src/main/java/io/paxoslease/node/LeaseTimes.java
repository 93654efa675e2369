package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.Objects;

/**
 * How long leases of one node may last: what its options allow, and how much of a lease time its holder may rely on. Immutable.
 */
public final class LeaseTimes {

    private final PaxosLeaseOptions options;
    private final NodeAlgorithm algorithm;
    /** What the protocol's times follow from. */
    final Timing timing;

    private final long defaultNanos;

    LeaseTimes(PaxosLeaseOptions options) {
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.timing = new Timing(options.maxLeaseTime(), options.clockDrift());
        this.defaultNanos = holdersNanos(options.leaseTime());
    }

    /** How long the holder of a renewed lease may rely on it after each renewal. */
    public Duration defaultLeaseTime() {
        return Duration.ofNanos(defaultNanos);
    }

    /** How long a holder may rely on a lease that others wait for that long. */
    public Duration holdersTime(Duration othersWait) {
        return Duration.ofNanos(holdersNanos(othersWait));
    }

    private long holdersNanos(Duration othersWait) {
        return timing.leaseNanosWithin(othersWait.toNanos());
    }

    /**
     * How long the holder of the lease that is asked for may rely on it.
     *
     * @throws IllegalArgumentException when no such lease can be had
     */
    long nanosOf(AcquireOptions how, boolean shared) {
        Duration time = how.leaseTime();
        long nanos = time == null ? defaultNanos : nanosOf(time);
        algorithm.checkRequest(timing, nanos, how.renewed(), shared);
        if (how.note() != null) {
            algorithm.checkNote(how.note());
        }
        return nanos;
    }

    /**
     * A lease time that was asked for.
     *
     * @throws IllegalArgumentException when the cell does not grant it
     */
    long nanosOf(Duration leaseTime) {
        check("The lease time", Objects.requireNonNull(leaseTime, "leaseTime"));
        return leaseTime.toNanos();
    }

    /**
     * Checks that the cell grants leases of that time.
     *
     * @param whose for people, at the beginning of a sentence: "The lease time"
     * @throws IllegalArgumentException when it is not above zero, or above the cell's maximum
     */
    public void check(String whose, Duration leaseTime) {
        if (leaseTime.isNegative() || leaseTime.isZero() || leaseTime.compareTo(options.maxLeaseTime()) > 0) {
            throw new IllegalArgumentException(
                    "%s must be above zero and at most the cell's maximum lease time, %s, not %s: ask for less, or raise maxLeaseTime on every node"
                            .formatted(whose, options.maxLeaseTime(), leaseTime));
        }
    }

    /**
     * Checks that leases that others wait for that long can be renewed in time.
     *
     * @throws IllegalArgumentException when the algorithm cannot renew it in time
     */
    public void checkRenewable(Duration othersWait) {
        algorithm.checkRequest(timing, holdersNanos(othersWait), true, false);
    }
}
