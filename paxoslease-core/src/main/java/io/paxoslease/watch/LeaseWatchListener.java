package io.paxoslease.watch;

import java.util.List;

/**
 * Told of what a {@link LeaseWatch} sees. Called on the node's callback executor, never by two threads at once. What it throws is logged. A listener
 * that is slow is told of the latest state of each lease, not of each state in between, and of no lease that came and went in between.
 */
@FunctionalInterface
public interface LeaseWatchListener {

    /**
     * Leases have changed. The first call has all that are held, or not known.
     *
     * @param changes the latest state of each, in no order
     */
    void changed(List<WatchedLease> changes);

    /**
     * Whether the watch is current, see {@link LeaseWatch#isCurrent()}: told when it becomes so, after {@link #changed}, and when it no longer is.
     */
    default void currentChanged(boolean current) {}
}
