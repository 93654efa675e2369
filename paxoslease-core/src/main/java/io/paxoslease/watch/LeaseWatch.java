package io.paxoslease.watch;

import java.util.Map;
import java.util.Optional;

/**
 * A watch on the leases whose names begin with a prefix. It survives stops and starts of its node. Thread-safe; nothing here blocks. Implemented by
 * this library only.
 */
public interface LeaseWatch extends AutoCloseable {

    /** What the names begin with. */
    String prefix();

    /**
     * The leases that are held, or not known, by name. A lease that is not among them is free if the watch {@link #isCurrent()}. A copy.
     */
    Map<String, WatchedLease> leases();

    /** What is known of one lease, by its full name. Empty: it is free if the watch {@link #isCurrent()}. */
    Optional<WatchedLease> lease(String resource);

    /**
     * Whether a majority of the members tells of each change. If not, what {@link #leases()} answers grows old: the node is not running, is starting,
     * is cut off from the members, or has no memory for all that they tell. Do not act on it then.
     */
    boolean isCurrent();

    /** Ends the watch. The listener is not called again, except for a call that has begun. Does nothing when ended. */
    @Override
    void close();
}
