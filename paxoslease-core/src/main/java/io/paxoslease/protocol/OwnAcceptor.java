package io.paxoslease.protocol;

/** What a proposer may know of its own node's acceptor without a message: hints, as all that is known of acceptors. */
interface OwnAcceptor {

    /** Whether others wait for the resource there. */
    boolean isWanted(String resource, Reading now);

    /**
     * The counter of another node that has become the holder there, or has renewed, within that time: it is alive, and others know
     * of it or soon will. Zero when there is none.
     */
    long freshRecordOfOther(String resource, long nanos, Reading now);

    /** The highest counter of a proposal that it keeps for another, to look at it when the lease is released; zero: it keeps none. */
    long highestKept(String resource, Reading now);

    /** The highest counter seen there (P0), of ballots that count or will count. */
    long highestSeen(String resource, Reading now);
}
