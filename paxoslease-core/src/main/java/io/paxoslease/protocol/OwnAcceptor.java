package io.paxoslease.protocol;

/** What a proposer may know of its own node's acceptor without a message: hints, as all that is known of acceptors. */
interface OwnAcceptor {

    /** Whether others wait for the resource there. */
    boolean isWanted(String resource, Reading now);

    /** Whether another node has become the holder there, or renewed, within that time: it is alive, and others know of it or soon will. */
    boolean hasFreshRecordOfOther(String resource, long nanos, Reading now);

    /** Whether it keeps a proposal of another, to look at it when the lease is released. */
    boolean keepsAny(String resource, Reading now);

    /** The highest counter seen there (P0), of ballots that count or will count. */
    long highestSeen(String resource, Reading now);
}
