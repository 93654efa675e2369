package io.paxoslease.node;

import org.jspecify.annotations.Nullable;

/**
 * Leases that are over, and that the cell was not told of for want of memory: the node would renew them without a holder. A list that the leases
 * themselves make, so that it needs no memory. Thread-safe.
 */
final class ReleasesLeft<L extends ReleasesLeft.Link> {

    /** What a lease is in this list: under its lock. */
    static class Link {
        private boolean isLeft;
        private @Nullable Link next;
    }

    private volatile @Nullable L first;

    boolean isEmpty() {
        return first == null;
    }

    synchronized void add(L lease) {
        Link link = lease;
        if (!link.isLeft) {
            link.isLeft = true;
            link.next = first;
            first = lease;
        }
    }

    /** Null when there is none. */
    @SuppressWarnings("unchecked") // what is linked was added
    synchronized @Nullable L poll() {
        L taken = first;
        if (taken != null) {
            Link link = taken;
            first = (L) link.next;
            link.next = null;
            link.isLeft = false;
        }
        return taken;
    }
}
