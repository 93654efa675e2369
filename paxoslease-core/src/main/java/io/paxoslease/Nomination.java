package io.paxoslease;

/** What the members say about a possible next holder of a lease: the outcome of {@link Lease#nominate}. */
public enum Nomination {
    /** A majority of the members has queued its request: {@link Lease#releaseTo} hands the lease over to it. */
    QUEUED("a majority of the members has queued its request"),
    /** It does not request the lease, or a majority of the members has not heard of its request. */
    NOT_QUEUED("it does not wait for the lease. Start its candidacy first, or name a node that waits"),
    /** No majority of the members has answered in time. */
    NO_MAJORITY("no majority of the members answers. See the peers of this node, and try again"),
    /** This node does not hold the lease any more. */
    NOT_HELD("this node does not hold the lease any more"),
    /** A group of shards holds the lease, and its plan says which instance is next. */
    PLANNED("the plan of its group says which instance owns it next. Give the shard up without naming a node"),
    /** The algorithm of this node has no nominations. */
    UNSUPPORTED("the algorithm of this node cannot choose the next holder. Give the lease up without naming a node");

    private final String reason;

    Nomination(String reason) {
        this.reason = reason;
    }

    /** The outcome in words, as the end of a sentence about that node. */
    public String reason() {
        return reason;
    }
}
