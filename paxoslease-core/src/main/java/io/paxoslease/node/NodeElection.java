package io.paxoslease.node;

/** A role that a node contests, as far as the node has to do with it. Thread-safe. */
public interface NodeElection {

    /** The role's name. */
    String role();

    /** The name of the role's lease. */
    String resource();

    /** Whether this node leads at this instant. */
    boolean isLeader();

    /** Gives leadership up, if this node leads. Returns at once. */
    void resign();
}
