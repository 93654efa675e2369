package io.paxoslease.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What happens to a node that runs a {@link LeaseAlgorithm}. */
public sealed interface Event {

    /**
     * A message came in; {@code from} is the sender as the handshake of its connection established it. What members alone say comes over a
     * connection of a member: the transport drops it where a client says it, which may have the id of a member that is to come.
     */
    record Received(NodeId from, Message message) implements Event {}

    /** {@link LeaseAlgorithm#nextDeadline()} has come, or nearly. Waking early or twice does no harm. */
    record Woken() implements Event {}

    /** A user wants a lease. Answered by {@link Effect.Granted} or {@link Effect.Denied}, unless withdrawn. */
    record Acquire(AcquireRequest request) implements Event {}

    /** A request is withdrawn; it is not answered any more. */
    record Withdraw(String resource, long requestId) implements Event {}

    /** The holder gives up the tenure with that token; it stopped using it before (P6). */
    record GiveUp(String resource, long token) implements Event {}

    /** The same, and that node comes first, if it is queued. An algorithm that has no nominations handles it as {@link GiveUp}. */
    record GiveUpTo(String resource, long token, NodeId successor) implements Event {}

    /** The holder has stopped relying on a lease, and work under it may still run: the cell is not told, and others wait until it expires. */
    record LetExpire(String resource, long token) implements Event {}

    /**
     * The holder asks who waits for the lease of that tenure. Answered by {@link Effect.Nominated}; by PaxosLease only.
     *
     * @param node the node that is asked about; null: every node
     * @param limitNanos how long to ask at most
     */
    record Nominate(String resource, long token, @Nullable NodeId node, long limitNanos, long requestId)
            implements Event {}

    /** The holder wants to hold on for a while from now. Answered by {@link Effect.Renewed}. */
    record Renew(String resource, long token, long leaseNanos, long requestId) implements Event {}

    /**
     * The holder changes the note of the tenure with that token.
     *
     * @param note empty: it has none any more
     */
    record Annotate(String resource, long token, String note) implements Event {}

    /** The tenure with that token is wanted by another node, and is in use here at present. */
    record InUse(String resource, long token) implements Event {}

    /**
     * A user wants to know for certain who holds these. Answered by {@link Effect.HolderKnown}; never by PaxosLease, which
     * cannot tell.
     */
    record QueryHolder(List<String> resources, long requestId) implements Event {
        public QueryHolder {
            resources = List.copyOf(resources);
        }
    }

    /** Users want to be told who holds the leases whose names begin with the prefix: by {@link Effect.Watched}. */
    record Watch(String prefix) implements Event {}

    /** No user wants to be told of these leases any more. */
    record Unwatch(String prefix) implements Event {}

    /** Messages can reach that node again. */
    record Reachable(NodeId node) implements Event {}

    /** Messages cannot reach that node at present: attempts need not wait for its answer. */
    record Unreachable(NodeId node) implements Event {}

    /**
     * The clocks disagree beyond rho: the process was suspended, or a clock was set.
     *
     * @param mayBeSnapshot whether it may have been restored from a snapshot
     */
    record ClocksDisagree(boolean mayBeSnapshot) implements Event {}

    /**
     * A node of the same cell, of whatever member list, runs another configuration (section 9): it was met, or another node that runs
     * this configuration has met it.
     *
     * @param node which node
     * @param members the members of its configuration
     * @param silenceNanos how long after a start an acceptor of its configuration is silent: all that it has granted is over then
     * @param difference what differs, in words
     * @param isSealed whether the node knows that one to be sealed, or a later one, in the place of this node's (R7)
     */
    record OtherConfiguration(NodeId node, List<NodeId> members, long silenceNanos, String difference, boolean isSealed)
            implements Event {
        public OtherConfiguration {
            members = List.copyOf(members);
        }
    }

    /**
     * A member of the same cell runs this generation: the node's own, the one before or the one after it (section 9, R3).
     *
     * @param sealed the highest generation that it knows to be sealed
     */
    record GenerationMet(NodeId node, Generation generation, int sealed) implements Event {}

    /**
     * That generation follows the node's own, and a store outside the cell says so: the node moves to it while it runs, once the cell has
     * come so far (section 9, R2).
     */
    record NextGeneration(Generation generation) implements Event {}

    /** A store outside the cell says that this generation is sealed, as one of its members has found out (section 9, R4). */
    record SealStored(Generation generation) implements Event {}

    /**
     * Another process may have answered as this node (A0): what that has granted is forgotten here. A duration travels, as clocks of two
     * machines cannot be compared.
     *
     * @param seenBy the member that was connected to the other process; null: this process could not listen before then
     * @param nanosAgo how long ago that was at most
     */
    record OtherLife(@Nullable NodeId seenBy, long nanosAgo) implements Event {
        public OtherLife {
            if (nanosAgo < 0) {
                throw new IllegalArgumentException("Not in the past: " + nanosAgo + " ns");
            }
        }
    }

    /** The node can be reached from now on, and dials the others (section 9, G1). */
    record Opened() implements Event {}

    /** The node stops: every tenure is released, and nothing is answered any more. */
    record Shutdown() implements Event {}
}
