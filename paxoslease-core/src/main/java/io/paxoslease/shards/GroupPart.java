package io.paxoslease.shards;

import io.paxoslease.node.LocalNode;
import io.paxoslease.protocol.Moment;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all runs of a group on one node have in common.
 *
 * @param worker is asked for the worker at each start
 * @param counts of this group alone
 * @param threads make the threads that work on shards; null: daemon threads
 * @param thread the group's own
 */
record GroupPart(
        LocalNode node,
        Supplier<? extends @Nullable ShardWorker> worker,
        ShardCounts counts,
        @Nullable ThreadFactory threads,
        Executor thread) {

    /** By the node's clock. */
    Moment now() {
        return node.groups().clock().read().moment();
    }
}
