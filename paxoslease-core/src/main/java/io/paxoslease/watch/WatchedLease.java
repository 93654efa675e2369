package io.paxoslease.watch;

import org.jspecify.annotations.Nullable;

/**
 * What a watch knows of one lease. Advice: it may be out of date by the time that it is read, and a node that is partitioned from the cell may still
 * hold the lease until its own clock ends it.
 *
 * @param resource the name of the lease
 * @param state how much is known
 * @param owner the node id of the holder; null when the lease is free, or nobody is known to hold it
 * @param note the note that the holder has given the lease; null when it has none. It comes from another node: check it before use
 */
public record WatchedLease(
        String resource,
        State state,
        @Nullable String owner,
        @Nullable String note) {

    /** How much a watch knows of a lease. */
    public enum State {
        /** A majority of the members names the owner. */
        HELD,
        /** A majority of the members knows of no holder. */
        FREE,
        /**
         * Neither: members disagree, as while the lease changes hands. The owner is the last one that was known, until its lease must have ended;
         * then null.
         */
        UNKNOWN
    }
}
