package io.paxoslease.node;

/**
 * The highest ballot counter that a node of a cell of one has used in this process. Kept in a system property, which class loaders share.
 * Nobody else remembers it: a life that begins within the wall clock's grain would issue a fencing token again.
 */
final class TokenHistory {

    private static final String PREFIX = "io.paxoslease.counter.";

    private final String key;

    TokenHistory(String cell, String nodeId) {
        this.key = PREFIX + cell + "/" + nodeId;
    }

    /** The highest that a life of this node in this process has noted; zero when none has. */
    long highestToken() {
        return Long.parseLong(System.getProperty(key, "0"));
    }

    /** Ballot counters up to this one have been used. */
    void used(long counter) {
        System.setProperty(key, Long.toString(Math.max(counter, highestToken())));
    }
}
