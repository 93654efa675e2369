package io.paxoslease.node;

import org.jspecify.annotations.Nullable;

/**
 * What could not be finished for want of memory or of a thread: leases that are over, and that the cell was not told of; answers that a caller
 * waits for. A list that they make themselves, so that it needs no memory. Thread-safe.
 */
final class Unfinished<L extends Unfinished.Link> {

    /** What each is in this list: under its lock. */
    static class Link {
        private boolean isLeft;
        private @Nullable Link next;
    }

    private volatile @Nullable L first;

    boolean isEmpty() {
        return first == null;
    }

    synchronized void add(L what) {
        Link link = what;
        if (!link.isLeft) {
            link.isLeft = true;
            link.next = first;
            first = what;
        }
    }

    synchronized boolean has(L what) {
        Link link = what;
        return link.isLeft;
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
