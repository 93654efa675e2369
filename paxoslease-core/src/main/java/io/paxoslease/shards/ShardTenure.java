package io.paxoslease.shards;

import io.paxoslease.monitor.NodeObserver.Kind;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.TenureCall;
import io.paxoslease.node.TenureGuard;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One stretch of work on a shard under its lease. It ends once, for one reason; what runs under it is asked to end then. */
final class ShardTenure implements Shard {

    /** Why the work ends. */
    enum End {
        /** It is to: the shard is for another instance, or this one stops. */
        ASKED,
        /** The worker has thrown. */
        FAILED,
        /** The lease was lost. */
        LOST,
        /** The lease was in doubt, for example after a clock step, and a caller was told that the shard is not owned. */
        IN_DOUBT
    }

    private final GroupPart part;
    private final String group;
    private final int index;
    private final HeldLease lease;
    private final TenureGuard guard;
    private final Runnable onLeft;
    private volatile @Nullable End end;

    /** @param onLeft called when something that ran under this has ended, and when it ends in doubt; must not block, never throws */
    ShardTenure(GroupPart part, String group, int index, HeldLease lease, Runnable onLeft) {
        this.part = part;
        this.group = group;
        this.index = index;
        this.lease = lease;
        this.onLeft = onLeft;
        this.guard = new TenureGuard(this::isOwned, lease::isHeld, onLeft);
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isOwned() {
        boolean owned = seemsOwned();
        if (!owned) { // the two clocks are not read at one instant: once is no doubt
            owned = seemsOwned();
        }
        if (!owned) {
            endInDoubt();
        }
        return owned;
    }

    /** The same for those who only report it: nothing ends. */
    boolean seemsOwned() {
        return end == null && lease.isHeld();
    }

    /** The caller that is told so may stop for good. Therefore all work under this tenure ends in the next turn, and then starts again. */
    private void endInDoubt() {
        if (mark(End.IN_DOUBT)) {
            onLeft.run();
        }
    }

    @Override
    public long fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public Duration remaining() {
        Duration left = Duration.ZERO;
        while (left.isZero() && isOwned()) { // zero is told only once that is marked
            left = lease.remaining();
        }
        return left;
    }

    @Override
    public void check() {
        if (!isOwned()) {
            throw new ShardNotOwnedException(
                    group,
                    index,
                    "This instance no longer owns shard %d of group '%s': end the work on it"
                            .formatted(index, Printable.name(group)));
        }
    }

    /** Runs it inside of what observes the node. */
    <T extends @Nullable Object> T observed(Kind kind, Callable<T> callback) throws Exception {
        return part.node().observers().call(kind, this::name, callback);
    }

    /** The same, until the callback has been called; nothing is thrown. */
    void observedSurely(Kind kind, Callable<?> callback, Consumer<Throwable> onFailure) {
        part.node().observers().callSurely(kind, this::name, callback, onFailure);
    }

    private String name() {
        return group + "/" + index;
    }

    /** Whether it is one of that group on that node. */
    boolean isOf(GroupPart other) {
        return part.counts() == other.counts(); // each group has its own
    }

    HeldLease lease() {
        return lease;
    }

    /** What runs under it. */
    TenureGuard guard() {
        return guard;
    }

    /** From this call on {@link #isOwned()} is false. The first reason stands. Whoever marks it tells {@link TenureGuard#endParts} then. */
    boolean mark(End reason) {
        synchronized (this) {
            if (end != null) {
                return false;
            }
            end = reason;
            return true;
        }
    }

    @Nullable
    End end() {
        return end;
    }

    /** Whether it has ended, and nothing runs under it any more. */
    boolean isFinished() {
        return end != null && guard.isEmpty();
    }

    @Nullable
    ShardCall enter(boolean interruptible) {
        TenureCall call = TenureCall.enter(guard, this, interruptible);
        return call == null ? null : new ShardCall(this, call);
    }

    @Override
    public String toString() {
        return "Shard %d of '%s' with fencing token %d".formatted(index, Printable.name(group), fencingToken());
    }
}
