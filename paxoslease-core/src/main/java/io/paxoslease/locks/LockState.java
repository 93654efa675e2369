package io.paxoslease.locks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.node.AskedLease;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.ResourceNames;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One key of one node: a mutex decides which thread of this node may hold the lock or ask for it, and the lease whether this
 * node may. What is not final is guarded by the mutex.
 */
final class LockState {

    /** How an attempt to lock ended. */
    enum Outcome {
        LOCKED,
        NOT_LOCKED,
        /** This state is forgotten: the key has another one. */
        RETIRED
    }

    private final LocalNode node;
    private final String key;
    private final String resource;
    private final LockOptions options;
    private final LeaseLock facade;
    private final LockTenure tenure;
    private final LockMutex mutex;

    /** What the present hold has to do in case of a loss; null: nothing. */
    private @Nullable Hold hold;
    /** The lease time that the tenure was asked for with; null: renewed automatically. */
    private @Nullable Duration ttl;

    LockState(LeaseLocks locks, LocalNode node, LockOptions options, String key) {
        this.node = node;
        this.key = key;
        this.resource = ResourceNames.check(options.prefix() + key);
        this.options = options;
        this.facade = new KeyLock(locks, key, this);
        this.tenure = new LockTenure(options);
        this.mutex = tenure.mutex();
    }

    String key() {
        return key;
    }

    LeaseLock facade() {
        return facade;
    }

    boolean isRetired() {
        return mutex.isRetired();
    }

    /** Forgets this state if nobody has used it for that long: from then on it is nobody's lock. */
    boolean retire(long unusedNanos) {
        return tenure.retire(unusedNanos);
    }

    /** Waits for the mutex, then for the lease; keeps the interrupt flag. */
    Outcome lockUninterruptibly(@Nullable Duration askedTtl) {
        check(askedTtl);
        mutex.lock();
        return enterUninterruptibly(askedTtl, null);
    }

    Outcome lockInterruptibly() throws InterruptedException {
        boolean mine = false;
        try {
            mutex.lockInterruptibly();
            mine = true;
        } finally {
            lookAfterUnless(mine);
        }
        return enter(null, null);
    }

    /** Asks once, whether interrupted or not; keeps the interrupt flag. */
    Outcome tryLock() {
        if (!mutex.tryLock()) {
            return Outcome.NOT_LOCKED;
        }
        return enterUninterruptibly(null, Duration.ZERO);
    }

    /** @param waitNanos zero or less: ask once */
    Outcome tryLock(long waitNanos, @Nullable Duration askedTtl) throws InterruptedException {
        check(askedTtl);
        long left = waitNanos;
        if (!mutex.tryLock()) {
            long start = System.nanoTime();
            if (waitNanos <= 0 || !awaitMutex(waitNanos)) {
                return Outcome.NOT_LOCKED;
            }
            left -= System.nanoTime() - start;
        }
        return enter(askedTtl, Duration.ofNanos(Math.max(0, left)));
    }

    private boolean awaitMutex(long nanos) throws InterruptedException {
        boolean mine = false;
        try {
            mine = mutex.tryLock(nanos);
        } finally {
            lookAfterUnless(mine);
        }
        return mine;
    }

    private void lookAfterUnless(boolean mine) {
        if (!mine) {
            tenure.lookAfterWithdrawal();
        }
    }

    /** Before the thread waits for anything, and before it could throw with the mutex taken. */
    private void check(@Nullable Duration askedTtl) {
        Duration max = node.options().maxLeaseTime();
        if (askedTtl != null && (askedTtl.isNegative() || askedTtl.isZero() || askedTtl.compareTo(max) > 0)) {
            throw new IllegalArgumentException(
                    "The lease time of the lock at %s must be above zero and at most the cell's maximum lease time, %s, not %s: ask for less, or raise maxLeaseTime (paxoslease.max-lease-time) on every node"
                            .formatted(key, max, askedTtl));
        }
    }

    private AcquireOptions options(@Nullable Duration askedTtl) {
        Duration time = askedTtl == null ? options.ttl() : askedTtl;
        return time == null ? AcquireOptions.renewing() : AcquireOptions.fixed(time);
    }

    /** With the mutex just taken: whether a lease is here that was kept, and holds at this moment. */
    private boolean isGrantedAtOnce(@Nullable Duration askedTtl) {
        HeldLease kept = tenure.lease();
        if (askedTtl != null || kept == null || mutex.holds() != 1 || !kept.isHeld()) {
            return false;
        }
        if (options.interruptOnLoss()) {
            interruptOnLoss(kept);
        }
        return true;
    }

    private Outcome enterUninterruptibly(@Nullable Duration askedTtl, @Nullable Duration wait) {
        if (isEnteredAtOnce(askedTtl)) {
            return Outcome.LOCKED;
        }
        boolean interrupted = Thread.interrupted();
        Outcome outcome = null;
        try {
            while (outcome == null) {
                try {
                    outcome = tryEnter(askedTtl, wait);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            unlockUnlessLocked(outcome);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return outcome;
    }

    private Outcome enter(@Nullable Duration askedTtl, @Nullable Duration wait) throws InterruptedException {
        if (isEnteredAtOnce(askedTtl)) {
            return Outcome.LOCKED;
        }
        Outcome outcome = null;
        try {
            outcome = tryEnter(askedTtl, wait);
        } finally {
            unlockUnlessLocked(outcome);
        }
        return outcome;
    }

    private void unlockUnlessLocked(@Nullable Outcome outcome) {
        if (outcome == Outcome.RETIRED) {
            mutex.passOnRetirement();
        } else if (outcome != Outcome.LOCKED) {
            leave();
        }
    }

    /** Without the lock, or without one hold more. */
    private void leave() {
        if (mutex.holds() == 1) {
            hold = null;
            tenure.leave();
        } else {
            mutex.unlock();
        }
    }

    /** {@link #isGrantedAtOnce}; an Error frees the mutex. */
    private boolean isEnteredAtOnce(@Nullable Duration askedTtl) {
        boolean answered = false;
        try {
            boolean granted = isGrantedAtOnce(askedTtl);
            answered = true;
            return granted;
        } finally {
            if (!answered) {
                leave();
            }
        }
    }

    /** With the mutex just taken: takes the lease, or, in a nested call, makes sure that it is still held. */
    private Outcome tryEnter(@Nullable Duration askedTtl, @Nullable Duration wait) throws InterruptedException {
        int holds = mutex.holds();
        if (holds < 0) {
            return Outcome.RETIRED;
        }
        AcquireOptions asked = options(askedTtl);
        AcquireOptions how = wait == null ? asked : asked.waitingAtMost(wait);
        boolean locked = holds == 1 ? acquire(how) : enterAgain(how);
        return locked ? Outcome.LOCKED : Outcome.NOT_LOCKED;
    }

    private boolean acquire(AcquireOptions how) throws InterruptedException {
        tenure.end(); // it is too late for a lease that was kept, or a fixed time is asked for
        HeldLease granted = await(how);
        if (granted != null && !granted.isHeld()) { // it ended before this thread ran (section 8, K1)
            granted.release();
            throw new LeaseLostException("The lease of the lock at %s was granted and ended before its thread ran: "
                            .formatted(Printable.name(key))
                    + "it does not hold the lock. Use a longer lease time");
        }
        if (granted == null) {
            return false;
        }
        ttl = how.leaseTime();
        tenure.begin(granted, ttl == null);
        if (options.interruptOnLoss()) {
            interruptOnLoss(granted);
        }
        return true;
    }

    /** Takes what was asked for on this thread's behalf, if that is what it wants. */
    private @Nullable HeldLease await(AcquireOptions how) throws InterruptedException {
        AskedLease ahead = tenure.takeAhead();
        Duration wait = how.maxWait();
        if (ahead != null && how.renewed() && (wait == null || !wait.isZero())) {
            return ahead.await(wait == null ? AskedLease.WITHOUT_LIMIT : LeaseLocks.saturatedNanos(wait));
        }
        if (ahead != null) {
            ahead.withdraw(new LeaseTimeoutException("Nobody waits for it any more"));
        }
        return node.await(resource, how).orElse(null);
    }

    private boolean enterAgain(AcquireOptions how) {
        HeldLease current = requireOwner();
        if (!current.isHeld()) {
            throw lost();
        }
        return how.leaseTime() == null || extend(current, how.leaseTime(), how.maxWait());
    }

    private void interruptOnLoss(HeldLease lease) {
        Hold begun = new Hold(lease);
        hold = begun;
        begun.interruptOwnerOnLoss();
    }

    /** Never waits for the network. */
    void unlock() {
        HeldLease current = requireOwner();
        if (mutex.holds() > 1) {
            mutex.unlock();
            return;
        }
        Hold ended = hold;
        boolean held;
        try {
            if (ended != null) {
                hold = null;
                ended.end();
            }
        } finally {
            held = tenure.endHold(current);
        }
        if (!held) {
            throw lost();
        }
    }

    void renew(@Nullable Duration askedTtl) {
        HeldLease current = requireOwner();
        Duration time = askedTtl == null ? ttl : askedTtl;
        extend(current, time == null ? node.defaultLeaseTime() : time, null);
    }

    void onLost(Runnable code) {
        HeldLease current = requireOwner();
        Hold present = hold;
        if (present == null) {
            present = new Hold(current);
            hold = present;
        }
        present.onLost(code);
    }

    long fencingToken() {
        return requireOwner().fencingToken();
    }

    Duration remaining() {
        HeldLease current = ownersLease();
        return current == null ? Duration.ZERO : current.remaining();
    }

    boolean isHeldByCurrentThread() {
        HeldLease current = ownersLease();
        return current != null && current.isHeld();
    }

    private @Nullable HeldLease ownersLease() {
        return mutex.isHeldByCurrentThread() ? tenure.lease() : null;
    }

    private HeldLease requireOwner() {
        HeldLease current = ownersLease();
        if (current == null) {
            throw new IllegalMonitorStateException("You do not own lock at " + Printable.name(key));
        }
        return current;
    }

    /**
     * Waits for the cell's answer, at most as long as the lease can last; keeps the interrupt flag.
     *
     * @param limit at most so long; null, or zero for asking once: until the answer
     * @return whether the answer came in time; if not, the hold is what it was
     */
    private boolean extend(HeldLease current, Duration time, @Nullable Duration limit) {
        CompletableFuture<Boolean> answer = current.renewNow(time);
        long nanos = limit == null || limit.isZero() ? Long.MAX_VALUE : limit.toNanos();
        boolean answered = Threads.awaitUninterruptibly(nanos, left -> isDone(answer, left));
        if (answered && !answer.join()) {
            throw lost();
        }
        return answered;
    }

    private boolean isDone(CompletableFuture<Boolean> answer, long nanos) throws InterruptedException {
        try {
            answer.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new PaxosLeaseException("The lock at " + Printable.name(key) + " could not be renewed", e.getCause());
        }
    }

    private LeaseLostException lost() {
        return new LeaseLostException(
                "The lease of the lock at %s ended while it was held; another node may have held it since. "
                                .formatted(Printable.name(key))
                        + "Use a longer lease time, or compare fencing tokens where the lock guards an effect");
    }
}
