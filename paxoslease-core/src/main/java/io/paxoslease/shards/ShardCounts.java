package io.paxoslease.shards;

import io.paxoslease.protocol.Moment;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What has happened in a group since it was made, as one instance has seen it. Thread-safe, except for {@link #free}. */
final class ShardCounts {

    private final LongAdder granted = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder overrun = new LongAdder();
    private final LongAdder freeNanos = new LongAdder();
    private int freeBefore;
    private @Nullable Moment before;

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

    /** So many shards have no owner from now on. By one thread at a time. */
    void free(int shards, Moment now) {
        if (before != null) {
            freeNanos.add(freeBefore * Math.max(0, before.nanosUntil(now)));
        }
        before = now;
        freeBefore = shards;
    }

    ShardGroupCounts read() {
        return new ShardGroupCounts(
                granted.sum(), released.sum(), lost.sum(), failed.sum(), overrun.sum(), freeNanos.sum());
    }
}
