package io.paxoslease.election;

/**
 * Work that continues after the call that began it, on whatever threads, and for which this node has to be the leader: from
 * {@link LeaderElection#begin} to {@link #close()}. When leadership ends in between, its owner is told once, and is to cancel what goes
 * on. A leadership that ends by choice is released after its guarded work has ended. Thread-safe.
 */
public final class GuardedWork implements AutoCloseable {

    private final ElectedTerm term;
    private final Runnable onEnd;
    private boolean closed;
    private boolean cancelled;
    private boolean outlived;

    GuardedWork(ElectedTerm term, Runnable onEnd) {
        this.term = term;
        this.onEnd = onEnd;
    }

    /** The leadership under which the work began. */
    public Leadership leadership() {
        return term;
    }

    /** Whether its owner was told that leadership has ended. */
    public synchronized boolean wasCancelled() {
        return cancelled;
    }

    /**
     * Whether the lease had ended when the work did: another node may have led meanwhile. A leadership that is given up keeps its lease
     * for its work, within limits.
     */
    public synchronized boolean hasOutlivedItsLease() {
        return closed ? outlived : !term.isLeaseHeld();
    }

    /** Called by the thread that ended the leadership, or on the callback executor. */
    void cancel() {
        synchronized (this) {
            if (closed || cancelled) {
                return;
            }
            cancelled = true;
        }
        onEnd.run();
    }

    /** Ends the work. Does nothing the second time. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                outlived = !term.isLeaseHeld();
            }
        } finally {
            term.remove(this); // in any case: the end of the leadership waits for it
        }
    }
}
