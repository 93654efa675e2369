package io.paxoslease.shards.plan;

import org.jspecify.annotations.Nullable;

/**
 * What decides about shards at one look.
 *
 * @param isStalled whether no majority answers, so that the view is older than it should be
 * @param plan null before the first view
 * @param givesUp whether this instance leaves or stands by
 * @param isCandidate whether this instance is active, and seen to be
 * @param closed what keeps balance from moving anything; null if nothing does
 * @param mayClaim whether the group has started (S9)
 */
record Situation(
        boolean isStalled,
        @Nullable Plan plan,
        boolean givesUp,
        boolean isCandidate,
        @Nullable Reason closed,
        boolean mayClaim) {

    /** The node that should own the shard, by the own plan. */
    @Nullable
    String target(int shard) {
        return plan == null ? null : plan.target(shard);
    }

    /** Whether a shard whose work was ended for the sake of balance may be released. */
    boolean mayRelease() {
        return !isStalled && plan != null;
    }

    /** Whether balance may move shards now. */
    boolean mayMove() {
        return !isStalled && plan != null && closed == null;
    }
}
