package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A wish for a lease.
 *
 * @param id unique within the node
 * @param resource what to lease
 * @param leaseNanos T: how long the holder may rely on it after each round
 * @param renewed whether to renew it until it is given up
 * @param waitMode whether to wait while another holds it
 * @param giveUpAt when to stop waiting; null for never
 * @param shared whether others who share may hold it at the same time; not every algorithm has that
 * @param note of the lease; empty: none. Not every algorithm has that
 * @param heldNanos how long the holder may rely on it after each renewal, where that is more than {@code leaseNanos}
 */
public record AcquireRequest(
        long id,
        String resource,
        long leaseNanos,
        boolean renewed,
        WaitMode waitMode,
        @Nullable Moment giveUpAt,
        boolean shared,
        String note,
        long heldNanos) {

    /** Without a note. */
    public AcquireRequest(
            long id,
            String resource,
            long leaseNanos,
            boolean renewed,
            WaitMode waitMode,
            @Nullable Moment giveUpAt,
            boolean shared) {
        this(id, resource, leaseNanos, renewed, waitMode, giveUpAt, shared, Note.NONE, 0);
    }

    /** For an exclusive lease. */
    public AcquireRequest(
            long id, String resource, long leaseNanos, boolean renewed, WaitMode waitMode, @Nullable Moment giveUpAt) {
        this(id, resource, leaseNanos, renewed, waitMode, giveUpAt, false);
    }

    /** The request as it stands now: one whose time is over before it was looked at still asks once. */
    public AcquireRequest at(Moment now) {
        return giveUpAt == null || now.isBefore(giveUpAt)
                ? this
                : new AcquireRequest(
                        id, resource, leaseNanos, renewed, WaitMode.TRY_ONCE, null, shared, note, heldNanos);
    }

    /** The same, given up at that moment. */
    public AcquireRequest endingAt(Moment end) {
        return new AcquireRequest(id, resource, leaseNanos, renewed, waitMode, end, shared, note, heldNanos);
    }

    /** What to do while another holds the lease. */
    public enum WaitMode {
        /** Ask once, and deny when it is held or no majority answers. */
        TRY_ONCE,
        /** Wait, until {@code giveUpAt}. */
        WAIT
    }
}
