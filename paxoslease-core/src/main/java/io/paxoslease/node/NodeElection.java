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

    /**
     * Gives leadership up and lets that node lead next. Blocks for up to half a second.
     *
     * @return whether this node led
     * @throws io.paxoslease.HandOverException when that node does not wait; this node leads on
     */
    boolean resignTo(String nodeId);
}
