package io.paxoslease;

/** Why a lease ended without its holder having released it. */
public enum LossReason {
    /** Its time ran out: it was not to be renewed, or no majority of the cell answered in time. */
    EXPIRED,
    /** The clocks of this process show that it was suspended or restored from a snapshot. */
    SUSPENDED,
    /**
     * This node's wall clock left the bound within which the algorithm allows clocks to differ, or was set. Not with
     * PaxosLease, which does not rely on wall clocks.
     */
    CLOCK,
    /** The node was stopped. */
    STOPPED,
    /** The node found a fault in itself and takes no further part. */
    FAILED,
    /** It was taken away by {@link NodeAdmin#giveUp}. */
    REVOKED
}
