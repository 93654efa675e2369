package io.paxoslease.monitor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of one resource.
 *
 * @param resource the name of the resource
 * @param state whether this node holds it, waits for it, or only knows of it
 * @param owner the node id of the holder, as far as this node knows; null when unknown
 * @param certain whether nobody but the owner can hold it before {@code remaining} is over, unless the owner gives it up: always
 *     when {@code state} is held; also of others where the algorithm knows it within a clock bound. Else the owner is a hint
 * @param hintAge how old the hint is; null when there is none
 * @param fencingToken the token of this node's tenure; null when not held
 * @param ballot the counter of the last ballot this node used for the resource; null when it used none
 * @param heldFor how long this node has held it; null when not held
 * @param remaining how long the holder's authority lasts without a renewal; for a hint, how long the acceptor that gave
 *     it will exclude others; null when unknown
 * @param renewals how often this tenure was renewed
 * @param lastLoss how this node's last tenure that was lost came to its end; null when none was, or it was long ago
 * @param note what the holder has chosen to tell the others, see {@link io.paxoslease.Lease#note}: of this node's tenure, or as the hint said.
 *     A text from another node; it proves nothing. Null when there is none, or none is known
 */
public record LeaseStatus(
        String resource,
        State state,
        @Nullable String owner,
        boolean certain,
        @Nullable Duration hintAge,
        @Nullable Long fencingToken,
        @Nullable Long ballot,
        @Nullable Duration heldFor,
        @Nullable Duration remaining,
        long renewals,
        @Nullable LeaseLoss lastLoss,
        @Nullable String note) {

    /** Where this node stands. */
    public enum State {
        /** This node holds the lease. */
        HELD,
        /** This node holds the lease, but its clocks disagreed: a majority must confirm it first. */
        SUSPECT,
        /** This node wants the lease. */
        WAITING,
        /** This node neither holds nor wants it; its acceptor has a record. */
        KNOWN,
        /** This node lost it, does not want it again, and knows of no other holder. */
        LOST
    }
}
