package io.paxoslease.locks;

import io.paxoslease.LeaseLostException;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.node.HeldLease;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** What the thread that holds the lock of one key may do with it. */
abstract class OwnedLock implements LeaseLock {

    final LeaseLocks locks;
    final String key;
    final LockReference reference;
    /** The lease that threads contend for, with its mutex. Written under the reference's monitor, as the next one is. */
    volatile LockLease lease;
    /** Those that are closed, and whose threads have not unlocked. */
    private volatile List<LockLease> closed = List.of();

    OwnedLock(LeaseLocks locks, String key) {
        this.locks = locks;
        this.key = key;
        this.reference = new LockReference(this);
        this.lease = new LockLease(this, locks.node, locks.options);
    }

    /**
     * Lets the lock begin another lease beside the hold of the thread that has this one.
     *
     * @return whether this call does it
     */
    final boolean replace(LockLease old) {
        LockLease next = new LockLease(this, locks.node, locks.options);
        synchronized (reference) {
            if (lease != old) {
                return false;
            }
            List<LockLease> all = new ArrayList<>(closed);
            all.add(old);
            closed = all;
            lease = next;
            reference.pinned = this;
        }
        return true;
    }

    /** After a thread has freed the mutex of one that is closed, or has ended. */
    final void forgetUnused() {
        synchronized (reference) {
            closed = closed.stream().filter(OwnedLock::isUsed).toList();
            pin();
        }
    }

    /** After each change of what is to be found when the application refers to the lock again: a lease, or a hold whose lease has ended. */
    final void pin() {
        synchronized (reference) {
            reference.pinned = lease.lease() == null && closed.isEmpty() ? null : this;
        }
    }

    /** Not yet opened: a thread may still take its mutex without being sent to the next one. */
    private static boolean isUsed(LockLease closed) {
        LockMutex mutex = closed.mutex;
        return !mutex.isOpen() || (mutex.isHeld() && mutex.deadOwner() == null);
    }

    /** The one that the calling thread locks: that of its hold, also if it is closed, or else the one that threads contend for. */
    final LockLease entry() {
        LockLease mine = closed.isEmpty() ? null : ownClosed();
        return mine == null ? lease : mine;
    }

    private @Nullable LockLease ownClosed() {
        for (LockLease each : closed) {
            if (each.mutex.isHeldByCurrentThread()) {
                return each;
            }
        }
        return null;
    }

    @Override
    public final String key() {
        return key;
    }

    /** Never waits for the network. */
    @Override
    public final void unlock() {
        LockLease mine = owner();
        HeldLease current = Objects.requireNonNull(mine.lease());
        if (mine.mutex.holds() > 1) {
            mine.mutex.unlock();
            return;
        }
        LockHold ended = mine.hold;
        boolean held;
        try {
            if (ended != null) {
                mine.hold = null;
                ended.end();
            }
        } finally {
            held = mine.endHold(current);
        }
        if (!held) {
            throw lost();
        }
    }

    @Override
    public final void renew() {
        Duration leaseTime = owner().leaseTime;
        extend(requireOwner(), leaseTime == null ? locks.node.leaseTimes().defaultLeaseTime() : leaseTime, null);
    }

    @Override
    public final void renew(Duration time) {
        Objects.requireNonNull(time, "leaseTime");
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
        LockLease mine = owner();
        LockHold present = mine.hold;
        if (present == null) {
            present = new LockHold(requireOwner());
            mine.hold = present;
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
        LockLease mine = owned();
        return mine == null ? null : mine.lease();
    }

    private @Nullable LockLease owned() {
        LockLease present = lease;
        return present.mutex.isHeldByCurrentThread() ? present : ownClosed();
    }

    /** The one whose lease the calling thread holds, or held when it ended. */
    private LockLease owner() {
        LockLease mine = owned();
        if (mine == null || mine.lease() == null) {
            throw new IllegalMonitorStateException("You do not own lock at " + Printable.name(key));
        }
        return mine;
    }

    final HeldLease requireOwner() {
        return Objects.requireNonNull(owner().lease());
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
