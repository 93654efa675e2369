package io.paxoslease.shards;

import java.time.Duration;

/**
 * A shard that this instance owns, or has owned: one stretch of work on it, from its start to its end. Thread-safe; every method is local.
 */
public interface Shard {

    /**
     * The shard that the current thread works on: in {@link ShardWorker#onGranted} and {@link ShardWorker#onRevoked}, or between
     * {@link ShardGroup#enter} and {@link ShardCall#close}. It may have ended since.
     *
     * @throws IllegalStateException when the current thread works on none
     */
    static Shard current() {
        Shard shard = ShardWork.currentShard();
        if (shard == null) {
            throw new IllegalStateException(
                    "This thread is in no call that is guarded by a shard: ask on the thread that works on the shard, or hand the shard over"
                            + " to other threads");
        }
        return shard;
    }

    /** The name of its group. */
    String group();

    /** Its number, 0 to the group's count - 1. */
    int index();

    /**
     * Whether this instance owns the shard at this instant: the deadline of its lease is compared with the clock at each call, and the work has
     * not been asked to end. Once this, or {@link #check}, has said no, it always does. If the lease was in doubt for a moment only, as after a
     * step of a clock, this stretch of work ends then like one that failed, and the next one begins a second later.
     */
    boolean isOwned();

    /** The fencing token of its lease: a later owner has a larger one. */
    long fencingToken();

    /** The time left without a further renewal of its lease; zero when it is not owned. */
    Duration remaining();

    /**
     * Returns while this instance owns the shard.
     *
     * @throws ShardNotOwnedException when it does not any more
     */
    void check();
}
