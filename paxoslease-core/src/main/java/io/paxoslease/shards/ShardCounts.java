package io.paxoslease.shards;

import io.paxoslease.protocol.Moment;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What has happened in a group since it was made, as one instance has seen it. Thread-safe. */
final class ShardCounts {

    private final LongAdder granted = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder overrun = new LongAdder();
    private long freeNanos;
    private int free;
    private @Nullable Moment countedAt;

    void granted() {
        granted.increment();
    }

    void released() {
        released.increment();
    }

    void lost() {
        lost.increment();
    }

    void failed() {
        failed.increment();
    }

    void overrun() {
        overrun.increment();
    }

    /** So many shards have no owner from now on. */
    synchronized void free(int shards, Moment now) {
        count(now);
        free = shards;
    }

    private void count(Moment now) {
        if (countedAt != null) {
            freeNanos += free * Math.max(0, countedAt.nanosUntil(now));
        }
        countedAt = now;
    }

    /** With what has passed while nothing has changed. */
    synchronized ShardGroupCounts read(Moment now) {
        count(now);
        return new ShardGroupCounts(granted.sum(), released.sum(), lost.sum(), failed.sum(), overrun.sum(), freeNanos);
    }
}
