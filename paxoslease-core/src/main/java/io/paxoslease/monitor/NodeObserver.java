package io.paxoslease.monitor;

import io.paxoslease.LeaseListener;
import io.paxoslease.LossReason;
import io.paxoslease.RevocationReason;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardWorker;
import java.time.Duration;
import java.util.List;

/**
 * Told what a node does, for metrics and tracing. The methods must return at once and throw nothing; what they throw is
 * logged and changes nothing. Those about leases are called on the node's thread;
 * those about roles on the thread of the role's election; that about peers on the node's, or on the thread that starts the node or adds the
 * observer.
 */
public interface NodeObserver {

    /**
     * A request was granted.
     *
     * @param resource the lease's name
     * @param waited from the request to the grant, with the time that others held the lease
     */
    default void acquired(String resource, Duration waited) {}

    /**
     * A request was denied, or its time to wait has passed. Not called for a request that its caller cancelled.
     *
     * @param resource the lease's name
     * @param waited from the request to its end
     */
    default void notAcquired(String resource, Duration waited) {}

    /**
     * A majority agreed.
     *
     * @param resource the lease's name
     * @param renewal whether it extended a tenure; else it began one
     * @param took from the first message to the majority's answer
     */
    default void agreed(String resource, boolean renewal, Duration took) {}

    /**
     * A majority agreed to extend several tenures, all of them by one round. Leases that are renewed together are told of this way
     * as long as they all end at the same time; else {@link #agreed} is told of each. So it is of these, unless this method
     * is overridden.
     *
     * @param resources the leases' names
     * @param took from the first message to the majority's answer
     */
    default void agreedTogether(List<String> resources, Duration took) {
        resources.forEach(resource -> agreed(resource, true, took));
    }

    /** A lease of this node ended without having been released. */
    default void lost(String resource, LossReason reason) {}

    /**
     * This node has that member as a peer from now on. Told of each one when the node starts, when this observer is added, and when a
     * change of the members brings one; perhaps more than once.
     *
     * @param peer its node id
     */
    default void peerAdded(String peer) {}

    /** This node contests a role: called when its election starts, or when this observer is added, if the election has started before. */
    default void candidateAdded(String role) {}

    /** This node leads the role; its candidate has not been told yet. */
    default void granted(String role) {}

    /** This node leads the role no more; its candidate has not been told yet. */
    default void revoked(String role, RevocationReason reason) {}

    /**
     * Runs a callback of the application's, on the thread that it belongs to.
     *
     * @param kind which one
     * @param name the role, the lease's name, or {@code <group>/<index>} of a shard
     * @param callback must be run once, here and now; what it throws must be thrown on
     */
    default void around(Kind kind, String name, Callback callback) throws InterruptedException {
        callback.run();
    }

    /** The callbacks of an application. */
    enum Kind {
        /** {@link LeaderCandidate#onGranted}; as long as the candidate works in it. */
        GRANTED,
        /** {@link LeaderCandidate#onRevoked}. */
        REVOKED,
        /** {@link LeaseListener#onLost}. */
        LOST,
        /** {@link ShardWorker#onGranted}; not the work that follows. */
        SHARD_GRANTED,
        /** {@link ShardWorker#onRevoked}. */
        SHARD_REVOKED,
        /** The task of {@link ShardGroup#callIfOwned}. */
        SHARD_CALL
    }

    /** A callback to be run. */
    @FunctionalInterface
    interface Callback {

        /** Runs it. */
        void run() throws InterruptedException;
    }
}
