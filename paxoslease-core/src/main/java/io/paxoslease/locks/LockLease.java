package io.paxoslease.locks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.PendingLease;
import io.paxoslease.node.ResourceNames;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of one lock on this node, from its grant until it is given up: used by the thread that holds the mutex, or retained
 * for the next one. When a lease ends before its thread has unlocked, or the thread ends without an unlock, this is <em>closed</em>: the mutex is
 * opened, and the lock has a new lease with a mutex of its own. What a thread still has here excludes no other thread of the node by itself,
 * and nothing is retained any more: a thread that frees the mutex, or a closing one, sees to that.
 *
 * <p>Every change of it, and every grant on it, happens under the mutex, so a grant and the start of a release exclude each other (K1, K2); for a
 * thread that has ended with the mutex, the one that closes this acts. A thread that frees the mutex checks afterwards whether the lease has been requested
 * meanwhile; a request first sets its mark, and then tries to take the mutex. So one of them sees the other.
 */
final class LockLease implements LockWatch.Watched {

    private static final Logger log = LoggerFactory.getLogger(LockLease.class);

    private final OwnedLock lock;
    private final LocalNode node;
    private final String resource;
    private final long idleRetentionNanos;
    private final int maxLocalHandoffs;
    final LockMutex mutex = new LockMutex(this::isUncontended, this::closeIfAbandoned);
    /** What a loss sets off in the present hold; null: nothing. Guarded by the mutex. */
    @Nullable
    LockHold hold;
    /** The lease time that the lease was requested with; null: renewed automatically. Guarded by the mutex. */
    @Nullable
    Duration leaseTime;

    private volatile @Nullable HeldLease lease;
    private volatile boolean isRetained;
    /** By the clock of the lease's node. Written under the mutex. */
    private volatile long usedAt;
    /** How many holds have ended here since another node is known to have requested the lease. Under the mutex. */
    private int endedHolds;

    private final SingleTimer timer = new SingleTimer(fired -> onTimer());

    private final NodeClock.Use endOfUse = this::endUse;

    /** Requested on behalf of the next thread here. Written under the mutex. */
    private volatile @Nullable PendingLease prefetched;

    /** @param lock referred to, so that it is not collected while the node or a timer refers to this lease */
    LockLease(OwnedLock lock, LocalNode node, LockOptions options) {
        this.lock = lock;
        this.node = node;
        this.resource = ResourceNames.check(options.prefix() + lock.key());
        this.idleRetentionNanos = TimeUnit.NANOSECONDS.convert(options.idleRetention());
        this.maxLocalHandoffs = options.maxLocalHandoffs();
    }

    /** The lease; null while this node holds none. */
    @Nullable
    HeldLease lease() {
        return lease;
    }

    /** Whether there is a retained lease that no other node has requested: then the order of the threads here does not count. */
    private boolean isUncontended() {
        HeldLease current = lease;
        return current != null && !current.isWanted();
    }

    /**
     * By the thread that has the mutex: takes the lease that was prefetched for it, or requests one, and waits for the answer.
     *
     * @return null when the time to wait was over
     */
    @Nullable
    HeldLease request(AcquireOptions asked) throws InterruptedException {
        end(); // a retained lease has ended, or a fixed time is asked for
        AcquireOptions how =
                lock.locks.isEnding() ? asked.toBuilder().maxWait(Duration.ZERO).build() : asked;
        Duration wait = how.maxWait();
        boolean waits = wait == null || !wait.isZero();
        PendingLease pending = takePrefetched();
        if (pending != null && how.renewed() && waits) {
            return lock.locks.await(pending, wait);
        }
        if (pending != null) {
            pending.withdraw(); // the thread it was prefetched for requests another lease
        }
        PendingLease own = node.request(resource, how);
        return own == null ? null : waits ? lock.locks.await(own) : own.await();
    }

    /** What was requested on behalf of the thread that has the mutex; null also when that has failed. */
    private @Nullable PendingLease takePrefetched() {
        PendingLease pending = prefetched;
        prefetched = null;
        return pending == null || pending.hasFailed() ? null : pending;
    }

    /** Under the mutex. */
    void begin(HeldLease granted, boolean renewed) {
        isRetained = renewed && idleRetentionNanos > 0;
        endedHolds = 0;
        if (isRetained) {
            granted.onContended(
                    this::giveUpUnused, mutex::isHeld); // first: it needs memory, and without it nothing has begun
        }
        lease = granted;
        lock.pin();
        lock.locks.watch.add(this, granted.node());
        granted.observe(reason -> closeIfAbandoned()); // last: it may have been lost meanwhile
    }

    /**
     * By a thread that the mutex has let in: whether it has the mutex. If not, this is closed, and the thread goes on with the lease that
     * the lock has now.
     */
    boolean isEntered() {
        return !mutex.isOpen() || isEnteredAgain();
    }

    private boolean isEnteredAgain() {
        if (!mutex.isHeldByCurrentThread()) {
            mutex.wakeNext();
            return false;
        }
        if (mutex.holds() == 1) { // it came too late, and what was prefetched for it may be there by now
            leave();
            return false;
        }
        return true;
    }

    /**
     * Closes this if the thread that has the mutex has ended, or its lease has. Never waits for a thread.
     *
     * @return whether this is closed
     */
    @Override
    public boolean closeIfAbandoned() {
        Thread dead = mutex.deadOwner();
        if (dead == null && !isOutlived()) {
            return mutex.isOpen();
        }
        boolean closed = lock.replace(this);
        mutex.open();
        if (dead == null) {
            giveUpUnused(); // the thread may have retained the lease since it was looked at
        } else {
            giveUpFor(dead, closed);
        }
        return true;
    }

    @Override
    public boolean isOrphaned() {
        return mutex.deadOwner() != null;
    }

    /** Whether a thread has the mutex, and its lease has ended. */
    private boolean isOutlived() {
        HeldLease current = mutex.isHeld() ? lease : null;
        return current != null && !current.isHeld();
    }

    private void giveUpFor(Thread dead, boolean told) {
        HeldLease left = lease;
        PendingLease asked = takePrefetched();
        if (asked != null) {
            asked.withdraw();
        }
        end();
        lock.forgetUnused();
        if (told && left != null) {
            log.warn(
                    "Thread '{}' has ended without unlocking the lock at {}: the lease is released",
                    Printable.name(dead.getName()),
                    Printable.name(lock.key()));
        }
    }

    /** Gives the lease up, if there is one. Under the mutex. */
    void end() {
        HeldLease ended = takeLease();
        if (ended != null) {
            ended.release();
        }
    }

    private @Nullable HeldLease takeLease() {
        HeldLease taken = lease;
        lease = null;
        lock.locks.watch.remove(this);
        lock.pin();
        return taken;
    }

    /**
     * Ends the hold of the thread that has the mutex, and frees the mutex.
     *
     * @return whether the lease was held to the end
     */
    boolean endHold(HeldLease current) {
        boolean held = current.clock().use(endOfUse) > 0;
        if (!held || !isRetained || mutex.isOpen() || (current.isWanted() && !isHandedOffLocally())) {
            PendingLease pending;
            try {
                pending = endAndPrefetch();
            } finally {
                mutex.unlock();
            }
            onPrefetched(pending);
        } else {
            mutex.unlock();
            scheduleIdleRelease(current, idleRetentionNanos);
        }
        forgetIfClosed();
        return held;
    }

    /** After the mutex was freed. */
    private void forgetIfClosed() {
        if (mutex.isOpen()) {
            lock.forgetUnused();
        }
    }

    /** One reading for both: what is left of the lease, and since when it is not used. */
    private long endUse(long nanos, long wallMicros) {
        HeldLease current = lease;
        usedAt = nanos;
        return current == null ? 0 : current.remainingNanos(nanos, wallMicros);
    }

    /** Whether the lease goes to the next thread here although another node has requested it. */
    private boolean isHandedOffLocally() {
        return ++endedHolds < maxLocalHandoffs && mutex.hasQueuedThreads();
    }

    /**
     * Gives the lease up. If threads wait here, it is requested again at once, so that the request leaves together with the release and
     * is queued before the next holder begins.
     *
     * @return what to pass to {@link #onPrefetched} once the mutex is free
     */
    private @Nullable PendingLease endAndPrefetch() {
        if (lease == null || !isRetained || mutex.isOpen() || !mutex.hasQueuedThreads()) {
            end();
            return null;
        }
        HeldLease ended = takeLease();
        PendingLease pending = ended == null ? null : ended.releaseAndAsk(AcquireOptions.renewing());
        prefetched = pending;
        return pending;
    }

    /** After the mutex was freed: the answer may be there already, and taking it needs the mutex. */
    private void onPrefetched(@Nullable PendingLease pending) {
        if (pending != null) {
            pending.whenAnswered(() -> claimUnused(pending));
        }
    }

    /** The answer is there: if no thread has taken it, the lease is retained for the next one. On the node's thread, or at once. */
    private void claimUnused(PendingLease pending) {
        HeldLease granted = pending.granted();
        if (granted == null) {
            return; // the next thread requests it
        }
        while (!mutex.tryMaintenance()) {
            if (mutex.holds() > 0 || prefetched != pending) {
                return; // the thread that has the mutex takes it, or one has taken it
            }
        }
        boolean unclaimed = prefetched == pending;
        try {
            if (unclaimed) {
                prefetched = null;
                usedAt = granted.clock().read().moment().nanos();
                begin(granted, true);
            }
        } finally {
            mutex.endMaintenance();
        }
        if (unclaimed) {
            scheduleIdleRelease(granted, idleRetentionNanos);
        } else { // a request that came meanwhile took this maintenance for one that gives the lease up
            releaseIfContended();
        }
    }

    /**
     * Frees the mutex, by a thread that leaves without a hold: what was prefetched or retained for it goes to the next thread, or is given
     * up.
     */
    void leave() {
        PendingLease pending = prefetched;
        mutex.unlock();
        onPrefetched(pending);
        releaseIfContended();
        forgetIfClosed();
    }

    /** After a thread has stopped waiting for the mutex: the lease may have been retained for it. */
    void releaseIfContended() {
        HeldLease current = lease;
        if (current != null && isRetained && (current.isWanted() || mutex.isOpen())) {
            scheduleIdleRelease(current, idleRetentionNanos);
        }
    }

    /** After the mutex was freed with the lease retained: gives it up if it is contended or closed by now, else when it has been idle for long enough. */
    private void scheduleIdleRelease(HeldLease retained, long nanos) {
        if (mutex.isOpen() || (retained.isWanted() && !mutex.hasQueuedThreads())) {
            giveUpUnused();
        } else {
            timer.start(retained.node(), nanos);
        }
    }

    /**
     * Gives the lease up unless a thread uses it. Never waits for a thread.
     *
     * @return whether it is given up, by this call or by one that is under way
     */
    private boolean giveUpUnused() {
        while (!mutex.tryMaintenance()) {
            int holds = mutex.holds();
            if (holds != 0) {
                return holds < 0;
            }
        }
        PendingLease pending;
        try {
            pending = endAndPrefetch();
        } finally {
            mutex.endMaintenance();
        }
        onPrefetched(pending);
        return true;
    }

    /** On the node's thread. A thread that uses the lease starts the next timer when it has finished. */
    private void onTimer() {
        giveUpIfUnusedFor(idleRetentionNanos);
    }

    /** Gives the lease up if no thread has used the lock for that long. Leaves a lock alone that is held or waited for. */
    void expire(long nanos) {
        HeldLease retained = lease;
        if (retained != null && !mutex.isHeld() && !mutex.hasQueuedThreads() && unusedNanos(retained) >= nanos) {
            giveUpIfUnusedFor(nanos);
        }
    }

    private void giveUpIfUnusedFor(long nanos) {
        if (!mutex.tryMaintenance()) {
            return;
        }
        HeldLease retained = lease;
        long unused = retained == null ? 0 : unusedNanos(retained);
        try {
            if (unused >= nanos) {
                end();
            }
        } finally {
            mutex.endMaintenance();
        }
        if (retained != null && unused < nanos) {
            scheduleIdleRelease(retained, Math.max(0, idleRetentionNanos - unused));
        }
    }

    private long unusedNanos(HeldLease retained) {
        return retained.clock().read().moment().nanos() - usedAt;
    }
}
