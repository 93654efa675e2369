package io.paxoslease.consensus;

/**
 * Says whether this client is the leader. It may be wrong for a while, at several clients at once; from some moment on, one
 * client that lives should be told yes, and all others no. Thread-safe.
 */
@FunctionalInterface
public interface LeaderOracle {

    /** Whether this client leads at this instant. Does not block. */
    boolean isLeader();
}
