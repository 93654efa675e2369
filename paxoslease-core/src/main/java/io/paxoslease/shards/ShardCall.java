package io.paxoslease.shards;

import io.paxoslease.monitor.NodeObserver.Kind;
import io.paxoslease.node.TenureCall;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * One call, on the thread that makes it, for which this instance has to own a shard: from {@link ShardGroup#enter} to {@link #close}. When the
 * work on the shard is to end in between, the thread is interrupted once, if that was asked for, and never after {@code close()} has
 * returned. The shard is handed over only when its guarded calls have ended.
 *
 * <p>To be used in one thread, by try-with-resources.
 */
public final class ShardCall implements AutoCloseable {

    private final ShardTenure shard;
    private final TenureCall call;

    ShardCall(ShardTenure shard, TenureCall call) {
        this.shard = shard;
        this.call = call;
    }

    /** The shard that guards the call. */
    public Shard shard() {
        return shard;
    }

    /** Runs it inside of what observes the node. */
    <T extends @Nullable Object> T observed(Callable<T> task) throws Exception {
        return shard.observed(Kind.SHARD_CALL, task);
    }

    /** Whether this call's thread was interrupted because the work on the shard is to end. */
    public boolean wasInterrupted() {
        return call.wasInterrupted();
    }

    /** Whether the lease was lost before the call ended: another instance may have owned the shard meanwhile. */
    public boolean hasOutlivedItsLease() {
        return call.hasOutlivedItsLease();
    }

    /**
     * Ends the call. An interrupt flag that was set because the work is to end is cleared. Does nothing the second time.
     *
     * @throws IllegalStateException when another thread calls this
     */
    @Override
    public void close() {
        call.close();
    }
}
