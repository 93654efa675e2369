package io.paxoslease;

import java.time.Duration;

/** One node's leadership of a role, from its grant to its end. Thread-safe; every method is local. */
public interface Leadership {

    /** The role that is led. */
    String role();

    /** Whether this node leads at this instant: the deadline is compared with the clock at each call. */
    boolean isLeader();

    /** The fencing token of this leadership: a later leader has a larger one. */
    long fencingToken();

    /** The time left without a further renewal, zero when leadership has ended. */
    Duration remaining();

    /** Gives leadership up: revoked first, then released, so that another node may lead. Returns at once. */
    void resign();
}
