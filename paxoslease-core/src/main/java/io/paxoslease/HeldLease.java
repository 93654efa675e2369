package io.paxoslease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.runtime.ClockGuard;
import io.paxoslease.runtime.NodeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A tenure as its user sees it. The node's thread moves its end; any thread may ask or release. */
final class HeldLease implements Lease {

    /** Taken off the deadline: the clock's grain, and the time between the comparison and the answer's use. */
    private static final long MARGIN_NANOS = 1_000_000;

    private enum Standing {
        HELD,
        SUSPECT,
        RELEASED,
        LOST
    }

    /** Read as one snapshot, written under this object's lock. */
    private record Authority(Standing standing, Reading until) {}

    private final RunningNode node;
    private final NodeClock clock;
    private final ClockGuard guard;
    private final String resource;
    private final long token;
    private final Moment grantedAt;
    private final List<Consumer<LossReason>> observers = new ArrayList<>(1);
    private volatile Authority authority;
    private volatile boolean isOfElection;
    private @Nullable LossReason loss;

    HeldLease(RunningNode node, String resource, long token, Reading until) {
        this.node = node;
        this.clock = node.clock();
        this.guard = node.guard();
        this.resource = resource;
        this.token = token;
        this.grantedAt = clock.read().moment();
        this.authority = new Authority(Standing.HELD, until);
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public boolean isHeld() {
        return remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    @Override
    public long fencingToken() {
        return token;
    }

    /** From now on it is an election's, which says by itself when it is lost, and releases it when its candidate has finished. */
    void belongToElection() {
        isOfElection = true;
    }

    boolean isOfElection() {
        return isOfElection;
    }

    Moment grantedAt() {
        return grantedAt;
    }

    /** Zero when not held. The wall clock can only shorten what the monotonic clock allows (section 5, Holder). */
    private long remainingNanos() {
        Authority snapshot = authority;
        if (snapshot.standing() != Standing.HELD) {
            return 0;
        }
        Reading now = clock.read();
        long remaining = now.moment().nanosUntil(snapshot.until().moment()) - MARGIN_NANOS;
        boolean trusted = !now.mayHaveReachedByWallClock(snapshot.until()) && guard.trusts(now);
        return trusted ? Math.max(0, remaining) : 0;
    }

    @Override
    public void release() {
        synchronized (this) {
            if (isOver()) {
                return;
            }
            authority = new Authority(Standing.RELEASED, authority.until());
            observers.clear();
        }
        node.giveUp(this);
    }

    @Override
    public CompletableFuture<Boolean> renew(Duration leaseTime) {
        return renewNow(leaseTime)
                .handleAsync((extended, failure) -> failure == null && Boolean.TRUE.equals(extended), node::callBack);
    }

    /** The same; the answer completes on the node's thread, and is for waiting only. */
    CompletableFuture<Boolean> renewNow(Duration leaseTime) {
        return node.renew(this, leaseTime);
    }

    @Override
    public void onLost(LeaseListener listener) {
        observe(reason -> node.callBack(
                () -> node.around(NodeObserver.Kind.LOST, resource, () -> listener.onLost(this, reason))));
    }

    /** Runs the code on the node's callback executor. */
    void callBack(Runnable code) {
        node.callBack(code);
    }

    /** The observer runs on the node's thread and must not block; at once and here when the lease is lost already. */
    void observe(Consumer<LossReason> observer) {
        LossReason reason;
        synchronized (this) {
            reason = loss;
            if (reason == null) {
                if (!isOver()) {
                    observers.add(observer);
                }
                return;
            }
        }
        observer.accept(reason);
    }

    synchronized void extend(Reading until) {
        if (!isOver()) {
            authority = new Authority(Standing.HELD, until);
        }
    }

    synchronized void suspect() {
        if (!isOver()) {
            authority = new Authority(Standing.SUSPECT, authority.until());
        }
    }

    /** Whether it ends by this call; when it was over before, nothing happens. */
    boolean lose(LossReason reason) {
        List<Consumer<LossReason>> told;
        synchronized (this) {
            if (isOver()) {
                return false;
            }
            authority = new Authority(Standing.LOST, authority.until());
            loss = reason;
            told = List.copyOf(observers);
            observers.clear();
        }
        told.forEach(observer -> observer.accept(reason));
        return true;
    }

    private boolean isOver() {
        Standing standing = authority.standing();
        return standing == Standing.RELEASED || standing == Standing.LOST;
    }

    @Override
    public String toString() {
        return "Lease[" + resource + ", token " + token + ", " + authority.standing() + "]";
    }
}
