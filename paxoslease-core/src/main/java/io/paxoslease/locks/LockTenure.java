package io.paxoslease.locks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.node.AskedLease;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.RunningNode;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one lock on this node, from its grant until it is given up: used by the thread that holds the mutex, or kept
 * for the next one. Every change of it, and every grant on it, happens under the mutex, so a grant and the start of a release
 * exclude each other (section 8, K1 and K2). Whoever frees the mutex looks afterwards whether the lease became wanted
 * meanwhile; whoever wants it says so first, and then tries to take the mutex. So one of them sees the other.
 */
final class LockTenure {

    private final LockMutex mutex = new LockMutex(this::isForWhoeverComes);
    private final long keepNanos;
    private final int localTurns;
    private volatile @Nullable HeldLease lease;
    private volatile boolean isKept;
    /** By the clock of the lease's node. Written under the mutex. */
    private volatile long usedAt;
    /** When there was something to do with the lock last, while it has no lease. */
    private volatile long touchedAt = System.nanoTime();
    /** How many holds have ended here since another node was known to want the lease. Under the mutex. */
    private int turns;
    /** On whose loop a timer is set that will look at the lease; null: nobody's. At most one at a time. */
    private final AtomicReference<@Nullable RunningNode> timer = new AtomicReference<>();

    private final NodeClock.Use endOfUse = this::endUse;

    /** Asked for on behalf of the next thread here. Written under the mutex. */
    private volatile @Nullable AskedLease ahead;

    LockTenure(LockOptions options) {
        this.keepNanos = LeaseLocks.saturatedNanos(options.keep());
        this.localTurns = options.localTurns();
    }

    LockMutex mutex() {
        return mutex;
    }

    /** The lease; none while this node holds none. */
    @Nullable
    HeldLease lease() {
        return lease;
    }

    /** Whether a kept lease is there that nobody else wants: then the order of the threads here is no matter. */
    private boolean isForWhoeverComes() {
        HeldLease current = lease;
        return current != null && !current.isWanted();
    }

    /** By the thread that has the mutex. */
    void begin(HeldLease granted, boolean renewed) {
        isKept = renewed && keepNanos > 0;
        turns = 0;
        lease = granted;
        if (isKept) {
            granted.keptBy(this::giveUpUnused, mutex::isHeld);
        }
    }

    /** Gives the lease up, if there is one. By whoever has the mutex. */
    void end() {
        HeldLease ended = lease;
        if (ended != null) {
            touch();
            lease = null;
            ended.release();
        }
    }

    /**
     * Ends the hold of the thread that has the mutex, and frees the mutex.
     *
     * @return whether the lease was held to the end
     */
    boolean endHold(HeldLease current) {
        boolean held = current.clock().use(endOfUse) > 0;
        if (!held || !isKept || (current.isWanted() && !isPassedOn())) {
            AskedLease asked;
            try {
                asked = endAndAskAhead();
            } finally {
                mutex.unlock();
            }
            seeTo(asked);
        } else {
            mutex.unlock();
            lookAfter(current, keepNanos);
        }
        return held;
    }

    /**
     * Gives the lease up. If threads wait here, it is asked for again at once, so that the wish leaves together with the release and
     * is in the line before the next holder has begun.
     *
     * @return what to {@linkplain #seeTo see to} once the mutex is free
     */
    private @Nullable AskedLease endAndAskAhead() {
        HeldLease ended = lease;
        if (ended == null || !isKept || !mutex.hasQueuedThreads()) {
            end();
            return null;
        }
        touch();
        lease = null;
        AskedLease asked = ended.releaseAndAsk(AcquireOptions.renewing());
        ahead = asked;
        return asked;
    }

    /** By whoever has just freed the mutex: the answer may be there already, and whoever takes it needs the mutex. */
    private void seeTo(@Nullable AskedLease asked) {
        if (asked != null) {
            asked.whenAnswered(() -> claimUnused(asked));
        }
    }

    /**
     * Frees the mutex, by a thread that goes away without a hold: what was asked for on its behalf, or kept for it, is there for the
     * next one, or is given up.
     */
    void leave() {
        AskedLease asked = ahead;
        try {
            touch();
        } finally {
            mutex.unlock();
        }
        seeTo(asked);
        lookAfterWithdrawal();
    }

    /** By the thread that has the mutex: what was asked for on its behalf. What has failed by now, it has to ask for itself. */
    @Nullable
    AskedLease takeAhead() {
        AskedLease asked = ahead;
        ahead = null;
        return asked == null || asked.hasFailed() ? null : asked;
    }

    /** The answer is there: if no thread has come for it, the lease is kept for the next one. On the node's thread, or at once. */
    private void claimUnused(AskedLease asked) {
        HeldLease granted = asked.granted();
        if (granted == null) {
            return; // the thread that comes for it asks for itself
        }
        while (!mutex.tryUpkeep()) {
            if (mutex.holds() > 0 || mutex.isRetired()) {
                return; // a thread that has the mutex takes it
            }
        }
        boolean unclaimed = ahead == asked;
        try {
            if (unclaimed) {
                ahead = null;
                usedAt = granted.clock().read().moment().nanos();
                begin(granted, true);
            }
        } finally {
            mutex.endUpkeep();
        }
        if (unclaimed) {
            lookAfter(granted, keepNanos);
        } else { // who wanted the lease meanwhile took this upkeep for one that gives it up
            lookAfterWithdrawal();
        }
    }

    /** One reading for both: what is left of the lease, and since when it is not used. */
    private long endUse(long nanos, long wallMicros) {
        HeldLease current = lease;
        usedAt = nanos;
        return current == null ? 0 : current.remainingNanos(nanos, wallMicros);
    }

    /** Whether the lease goes to the next thread here although another node wants it. */
    private boolean isPassedOn() {
        return ++turns < localTurns && mutex.hasQueuedThreads();
    }

    /** After the mutex was freed with the lease kept: gives it up if it is wanted by now, sees to it that it is not kept for ever. */
    private void lookAfter(HeldLease kept, long nanos) {
        if (kept.isWanted() && !mutex.hasQueuedThreads()) {
            giveUpUnused();
        } else if (timer.get() != kept.node()) {
            startTimer(kept.node(), nanos);
        }
    }

    /** After a thread has stopped to wait for the mutex: the lease may have been kept for it. */
    void lookAfterWithdrawal() {
        HeldLease current = lease;
        if (current != null && isKept && current.isWanted()) {
            lookAfter(current, keepNanos);
        }
    }

    /**
     * Gives the lease up unless a thread uses it. Never waits for a thread.
     *
     * @return whether it is given up, by this call or by one that is under way
     */
    private boolean giveUpUnused() {
        while (!mutex.tryUpkeep()) {
            int holds = mutex.holds();
            if (holds != 0) {
                return holds < 0;
            }
        }
        AskedLease asked;
        try {
            asked = endAndAskAhead();
        } finally {
            mutex.endUpkeep();
        }
        seeTo(asked);
        return true;
    }

    private void startTimer(RunningNode node, long nanos) {
        RunningNode set = timer.get();
        if (set != node && timer.compareAndSet(set, node)) {
            boolean started = false;
            try {
                node.later(() -> onTimer(node), nanos);
                started = true;
            } finally {
                if (!started) { // by the next use, then
                    timer.compareAndSet(node, null);
                }
            }
        }
    }

    /** On the node's loop. If a thread uses the lease, it sets the next timer when it has done. */
    private void onTimer(RunningNode node) {
        if (!timer.compareAndSet(node, null) || !mutex.tryUpkeep()) {
            return;
        }
        HeldLease kept = lease;
        long left = kept == null ? 0 : keepNanos - unusedNanos(kept);
        try {
            if (left <= 0) {
                end();
            }
        } finally {
            mutex.endUpkeep();
        }
        if (kept != null && left > 0) {
            lookAfter(kept, left);
        }
    }

    private long unusedNanos(HeldLease kept) {
        return kept.clock().read().moment().nanos() - usedAt;
    }

    /** From now on the lock counts as unused, if it has no lease. */
    void touch() {
        touchedAt = System.nanoTime();
    }

    /**
     * Gives the lease up and retires the mutex, if no thread has used the lock, or waited for it, for that long.
     *
     * @return whether the mutex is retired
     */
    boolean retire(long unusedNanos) {
        if (mutex.hasQueuedThreads() || !isUnusedFor(unusedNanos) || !mutex.tryUpkeep()) {
            return mutex.isRetired();
        }
        HeldLease kept = lease;
        AskedLease asked = ahead;
        boolean unused = isUnusedFor(unusedNanos) && (asked == null || asked.hasFailed());
        if (unused) {
            end();
            mutex.retire();
        } else {
            mutex.endUpkeep();
            if (kept != null) {
                lookAfter(kept, keepNanos);
            }
        }
        return unused;
    }

    private boolean isUnusedFor(long nanos) {
        HeldLease kept = lease;
        return (kept == null ? System.nanoTime() - touchedAt : unusedNanos(kept)) >= nanos;
    }
}
