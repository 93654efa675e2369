package io.paxoslease.locks;

import io.paxoslease.LeaseLostException;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.node.HeldLease;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** What the thread that holds the lock of one key may do with it. What is not final is guarded by the mutex. */
abstract class OwnedLock implements LeaseLock {

    final LeaseLocks locks;
    final String key;
    final LockLease lease;
    final LockMutex mutex;
    final LockReference reference;

    /** What a loss sets off in the present hold; null: nothing. */
    @Nullable
    LockHold hold;
    /** The lease time that the lease was requested with; null: renewed automatically. */
    @Nullable
    Duration ttl;

    OwnedLock(LeaseLocks locks, String key) {
        this.locks = locks;
        this.key = key;
        this.reference = new LockReference(this);
        this.lease = new LockLease(this, locks.node, locks.options);
        this.mutex = lease.mutex;
    }

    @Override
    public final String key() {
        return key;
    }

    /** Never waits for the network. */
    @Override
    public final void unlock() {
        HeldLease current = requireOwner();
        if (mutex.holds() > 1) {
            mutex.unlock();
            return;
        }
        LockHold ended = hold;
        boolean held;
        try {
            if (ended != null) {
                hold = null;
                ended.end();
            }
        } finally {
            held = lease.endHold(current);
        }
        if (!held) {
            throw lost();
        }
    }

    @Override
    public final void renew() {
        HeldLease current = requireOwner();
        extend(current, ttl == null ? locks.node.leaseTimes().defaultLeaseTime() : ttl, null);
    }

    @Override
    public final void renew(Duration time) {
        Objects.requireNonNull(time, "ttl");
        extend(requireOwner(), time, null);
    }

    /**
     * Waits for the cell's answer, at most as long as the lease can last; keeps the interrupt flag.
     *
     * @param limit at most so long by the node's clock; null, or zero for asking once: until the answer
     * @return whether the answer came in time; if not, the hold is what it was
     */
    final boolean extend(HeldLease current, Duration time, @Nullable Duration limit) {
        CompletableFuture<Boolean> answer = current.renewNow(time);
        ScheduledFuture<?> timer = limit == null || limit.isZero()
                ? null
                : current.node()
                        .later(
                                () -> answer.completeExceptionally(new LeaseTimeoutException("No answer in time")),
                                TimeUnit.NANOSECONDS.convert(limit));
        try {
            if (!answer.join()) {
                throw lost();
            }
            return true;
        } catch (CompletionException late) {
            return false;
        } finally {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    @Override
    public final void onLost(Runnable code) {
        Objects.requireNonNull(code, "code");
        HeldLease current = requireOwner();
        LockHold present = hold;
        if (present == null) {
            present = new LockHold(current);
            hold = present;
        }
        present.onLost(code);
    }

    @Override
    public final long fencingToken() {
        return requireOwner().fencingToken();
    }

    @Override
    public final Duration remaining() {
        HeldLease current = ownersLease();
        return current == null ? Duration.ZERO : current.remaining();
    }

    @Override
    public final boolean isHeldByCurrentThread() {
        HeldLease current = ownersLease();
        return current != null && current.isHeld();
    }

    private @Nullable HeldLease ownersLease() {
        return mutex.isHeldByCurrentThread() ? lease.lease() : null;
    }

    final HeldLease requireOwner() {
        HeldLease current = ownersLease();
        if (current == null) {
            throw new IllegalMonitorStateException("You do not own lock at " + Printable.name(key));
        }
        return current;
    }

    final LeaseLostException lost() {
        return new LeaseLostException(
                "The lease of the lock at %s ended while it was held; another node may have held it since. "
                                .formatted(Printable.name(key))
                        + "Use a longer lease time, or compare fencing tokens where the lock guards an effect");
    }

    @Override
    public final Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions: its waiters are on other nodes");
    }

    @Override
    public final String toString() {
        return "LeaseLock[" + key + "]";
    }
}
