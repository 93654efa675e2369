package io.paxoslease;

import io.paxoslease.monitor.NodeMonitor;

/** What operators do with a running node. Thread-safe. Implemented by this library only. */
public interface NodeAdmin {

    /**
     * Uses other keys and certificates from now on, also over a stop and start. No connection is dropped: those that are
     * open are replaced, one after the other, within seconds. One that cannot be replaced ends after a minute.
     *
     * @throws InvalidOptionException when the certificate does not name this node and node ids are verified; what was used
     *     before stays in use
     * @throws IllegalStateException when the node was made without TLS
     */
    void reloadTls(TlsOptions tls);

    /**
     * Changes the members of the cell while it serves: stores the next generation, which this node and every other one then moves to by itself.
     * The longest lease and the clock drift stay as they are: a process is started with them. Leases are kept, and requests are answered meanwhile.
     * It returns once the change is stored;
     * {@link NodeMonitor#status()} says how far it has come, and it is finished when the generation is sealed, which takes the longest lease multiplied by
     * gamma. A change whose new members never answer does not begin: the members before go on by themselves. Blocks while the store does.
     *
     * @return what is stored now
     * @throws InvalidOptionException when the new members or times cannot work
     * @throws MembershipChangeException when the change is refused, as it has no store, comes from a client, or another change is under way; or
     *     when the store fails
     * @throws PaxosLeaseException when the node is stopped, or its thread does not answer
     */
    Membership changeMembers(MembershipChange change);

    /**
     * Gives up what this node holds of a resource; another node may have it then. A role is resigned from: revoked first, then
     * released, after which this node stands back for the cool-down. The work on a shard is asked to
     * end, and the shard is released when it has; the group's plan says who owns it next, this node included. Any other lease is taken away from its holder here:
     * {@link Lease#isHeld()} is false, and listeners are told {@link LossReason#REVOKED}, before the cell hears that it is free;
     * but a thread that works under it may not have noticed yet. Returns at once.
     */
    GivenUp giveUp(String resource);

    /**
     * Gives up what this node holds of a resource, and lets that node have it next. The members are asked first whether that node
     * waits; if it does not, nothing is released and no work is interrupted. Then as {@link #giveUp(String)}. Blocks for up to half
     * a second.
     *
     * @param resource the name of the lease; a role's has a prefix
     * @param nodeId the next holder
     * @return {@link GivenUp#NOT_HELD} when this node does not hold it
     * @throws IllegalArgumentException when no other node can have that id
     * @throws HandOverException when that node does not wait for the lease, or no majority answers; or when a group of shards holds it
     * @throws PaxosLeaseException when the thread is interrupted, or the node's thread does not answer
     */
    GivenUp giveUp(String resource, String nodeId);

    /** What {@link #giveUp} did. */
    enum GivenUp {
        /** The role was resigned from, or the work on the shard was asked to end. */
        YIELDED,
        /** The lease was taken away and released. */
        RELEASED,
        /** This node does not hold it. */
        NOT_HELD
    }
}
