package io.paxoslease;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a lease is acquired.
 *
 * @param leaseTime how long the holder may rely on the lease without a renewal; null: the node's default, from
 *     {@link PaxosLeaseOptions.Builder#leaseTime(Duration)}
 * @param renewed whether the node renews the lease until it is released
 * @param maxWait how long to wait while another holds it: zero asks once; null waits without a limit
 * @param sharing whether others who share may hold it at the same time, see {@link #shared()}
 */
public record AcquireOptions(
        @Nullable Duration leaseTime,
        boolean renewed,
        @Nullable Duration maxWait,
        boolean sharing) {

    /** For a lease that nobody else holds at the same time. */
    public AcquireOptions(@Nullable Duration leaseTime, boolean renewed, @Nullable Duration maxWait) {
        this(leaseTime, renewed, maxWait, false);
    }

    public AcquireOptions {
        if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
            throw new IllegalArgumentException("The lease time must be positive, not " + leaseTime);
        }
        if (maxWait != null && maxWait.isNegative()) {
            maxWait = Duration.ZERO;
        }
        if (!renewed && leaseTime == null) {
            throw new IllegalArgumentException("A lease that is not renewed needs a lease time");
        }
    }

    /** The node's default lease time, renewed until it is released; waits without a limit. */
    public static AcquireOptions renewing() {
        return new AcquireOptions(null, true, null);
    }

    /**
     * Held for the given time and not renewed; waits without a limit.
     *
     * @param leaseTime at most the cell's maximum lease time
     */
    public static AcquireOptions fixed(Duration leaseTime) {
        return new AcquireOptions(Objects.requireNonNull(leaseTime, "leaseTime"), false, null);
    }

    /** The same with a limit on the wait. */
    public AcquireOptions waitingAtMost(Duration limit) {
        return new AcquireOptions(leaseTime, renewed, Objects.requireNonNull(limit, "limit"), sharing);
    }

    /**
     * The same, shared by readers: clients that share hold the lease at the same time, and whoever does not share waits until all
     * of them have let it lapse. Only where the algorithm has shared leases; elsewhere the node answers {@link IllegalArgumentException}.
     */
    public AcquireOptions shared() {
        return new AcquireOptions(leaseTime, renewed, maxWait, true);
    }
}
