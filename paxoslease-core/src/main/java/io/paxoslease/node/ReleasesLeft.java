package io.paxoslease.node;

import org.jspecify.annotations.Nullable;

/**
 * Leases that are over, and that the cell was not told of for want of memory: the node would renew them for nobody. A list that the leases
 * themselves make, so that it needs no memory. Thread-safe.
 */
final class ReleasesLeft {

    private volatile @Nullable HeldLease first;

    boolean isEmpty() {
        return first == null;
    }

    synchronized void add(HeldLease lease) {
        if (!lease.isReleaseLeft) {
            lease.isReleaseLeft = true;
            lease.nextReleaseLeft = first;
            first = lease;
        }
    }

    /** Null when there is none. */
    synchronized @Nullable HeldLease poll() {
        HeldLease taken = first;
        if (taken != null) {
            first = taken.nextReleaseLeft;
            taken.nextReleaseLeft = null;
            taken.isReleaseLeft = false;
        }
        return taken;
    }
}
