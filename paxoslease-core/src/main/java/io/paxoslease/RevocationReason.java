package io.paxoslease;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;

/** Why a leadership ended. */
public enum RevocationReason {
    /** It was given up: {@link Leadership#resign()}, {@link LeaderElection#resign()} or {@link NodeAdmin#giveUp}. */
    YIELDED,
    /** The election or the node was stopped. */
    STOPPED,
    /** The election was stopped because the health of this node does not allow it to lead: {@link LeaderElection#stopUnhealthy}. */
    UNHEALTHY,
    /** The lease ran out: no majority of the cell answered in time. */
    EXPIRED,
    /** The clocks of this process show that it was suspended or restored from a snapshot. */
    SUSPENDED,
    /** This node's wall clock left the bound that the algorithm relies on. */
    CLOCK,
    /** The candidate threw an exception, or the node found a fault in itself. */
    FAILED
}
