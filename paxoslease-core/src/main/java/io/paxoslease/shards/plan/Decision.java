package io.paxoslease.shards.plan;

import org.jspecify.annotations.Nullable;

/** What a {@link Participation} wants done. */
public sealed interface Decision {

    /**
     * Put this note on the participant lease, which is acquired first if it is not held. The note is written in this moment: its age
     * counts from now. It replaces what an earlier decision wanted to publish.
     */
    record Publish(Participant note) implements Decision {}

    /** Ask for the shard's lease, without waiting in its queue. */
    record Claim(int shard) implements Decision {}

    /** Wait in the queue of the shard's lease, with a proposal of a third of the lease time (S7). */
    record Queue(int shard, String holder) implements Decision {}

    /** Stop asking for the shard, or waiting for it. A lease that is granted before that takes effect is reported all the same. */
    record Withdraw(int shard) implements Decision {}

    /** Start the work on a shard whose lease is held: after the grant, or after a failure. */
    record StartWork(int shard) implements Decision {}

    /**
     * Interrupt the work on a shard, and report its end.
     *
     * @param receiver the node that the shard is for; null if none waits
     */
    record EndWork(int shard, @Nullable String receiver) implements Decision {}

    /**
     * Release the shard's lease. No work runs on it.
     *
     * @param receiver the node to nominate; null for a plain release
     */
    record Release(int shard, @Nullable String receiver) implements Decision {}

    /** Release the participant lease: no shard is held, and none is asked for. */
    record Depart() implements Decision {}
}
