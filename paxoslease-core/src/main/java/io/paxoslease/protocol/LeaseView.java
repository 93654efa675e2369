package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What a node knows of one resource, for people and monitoring.
 *
 * @param resource the resource
 * @param state where this node stands
 * @param owner who holds it as far as is known; certain when held here, else a hint; null when unknown
 * @param token the fencing token of this node's tenure; zero when it has none
 * @param counter the last ballot counter that this node used for it; zero when it used none
 * @param remainingNanos time left of the tenure, or as the hint said; negative when unknown
 * @param renewals how often this tenure was renewed
 * @param ageNanos how old a hint is; zero when nothing but this node's own state is told
 * @param certain whether only the owner can hold it for the remaining time, as far as what the algorithm relies on holds
 * @param note of the lease, as its holder has written it; empty: none is known
 */
public record LeaseView(
        String resource,
        State state,
        @Nullable NodeId owner,
        long token,
        long counter,
        long remainingNanos,
        long renewals,
        long ageNanos,
        boolean certain,
        String note) {

    /** Without a note. */
    public LeaseView(
            String resource,
            State state,
            @Nullable NodeId owner,
            long token,
            long counter,
            long remainingNanos,
            long renewals,
            long ageNanos,
            boolean certain) {
        this(resource, state, owner, token, counter, remainingNanos, renewals, ageNanos, certain, Note.NONE);
    }

    /** Where a node stands with a resource. */
    public enum State {
        HELD,
        SUSPECT,
        WAITING,
        KNOWN
    }
}
