package io.paxoslease.clusters;

/**
 * A time in which a node certainly led, or did what only the leader may do.
 *
 * @param node its id
 * @param token the fencing token of the leadership
 * @param from a reading of the shared monotonic clock after it had begun, in nanoseconds
 * @param to a reading before it ended
 */
record Tenure(String node, long token, long from, long to) {

    Tenure {
        if (to < from) {
            throw new IllegalArgumentException("%s led until before it began: %d, %d".formatted(node, from, to));
        }
    }

    boolean sameLeadership(Tenure other) {
        return token == other.token && node.equals(other.node);
    }
}
