package io.paxoslease.protocol;

import java.util.List;

/**
 * What nodes say to each other (section 4). Only {@link Accepted} and {@link Extended} carry authority: every other answer
 * is a hint. Durations are in nanoseconds; no clock reading travels, save as a ballot counter.
 */
public sealed interface Message {

    /** From a proposer to an acceptor. */
    sealed interface Request extends Message {}

    /** From an acceptor to a proposer. */
    sealed interface Answer extends Message {}

    /** An answer that concerns one attempt for one resource, and echoes both. */
    sealed interface Reply extends Answer {
        String resource();

        Ballot ballot();

        /** Names the attempt, so that an abandoned one's answers are dead for ever (P5). */
        long attempt();
    }

    /** Is a live lease in the way, and may this ballot propose? */
    record Prepare(String resource, Ballot ballot, long attempt) implements Request {}

    /** Record the ballot's incarnation as the holder for T. Also the one-round acquire, and the renewal. */
    record Propose(String resource, Ballot ballot, long leaseNanos, long attempt) implements Request {}

    /** Extend the live records of one incarnation; creates none. */
    record Extend(Incarnation incarnation, long attempt, long leaseNanos, List<Extension> extensions)
            implements Request {
        public Extend {
            extensions = List.copyOf(extensions);
        }
    }

    /**
     * One resource to extend.
     *
     * @param lowestCounter a record with a lower counter is not extended
     */
    record Extension(String resource, long lowestCounter) {}

    /** The incarnation holds and attempts nothing up to that counter any more. */
    record Release(String resource, Incarnation incarnation, long upToCounter) implements Request {}

    /** To {@link Prepare}: nothing is in the way. */
    record Open(String resource, Ballot ballot, long attempt) implements Reply {}

    /** To {@link Propose}: recorded. */
    record Accepted(String resource, Ballot ballot, long attempt) implements Reply {}

    /**
     * A live lease of another incarnation is in the way.
     *
     * @param owner the ballot of the record
     * @param ownerNode who proposed it
     * @param remainingNanos how long this acceptor will exclude others yet
     */
    record Held(String resource, Ballot ballot, long attempt, Ballot owner, NodeId ownerNode, long remainingNanos)
            implements Reply {}

    /** The ballot is too old here: a higher one than {@code promisedCounter} is needed. */
    record Stale(String resource, Ballot ballot, long attempt, long promisedCounter) implements Reply {}

    /**
     * The request itself cannot be served.
     *
     * @param limit the longest lease in nanoseconds, or the highest counter accepted now, as the reason says
     */
    record Refused(String resource, Ballot ballot, long attempt, Refusal reason, long limit) implements Reply {}

    /** Why a request cannot be served. */
    enum Refusal {
        /** T is above the cell's longest lease (A2). */
        TOO_LONG,
        /** The counter is too far above the acceptor's wall clock (section 7). */
        TOO_FAR_AHEAD
    }

    /**
     * To {@link Extend}.
     *
     * @param acknowledged the resources whose records were extended
     * @param unknown the resources that have no such record here
     */
    record Extended(Incarnation incarnation, long attempt, List<String> acknowledged, List<String> unknown)
            implements Answer {
        public Extended {
            acknowledged = List.copyOf(acknowledged);
            unknown = List.copyOf(unknown);
        }
    }

    /**
     * A hint to a proposer that was told {@link Held}: the lease is free again.
     *
     * @param ahead how many other proposers have waited longer at this acceptor
     */
    record Released(String resource, int ahead) implements Answer {}
}
