package io.paxoslease;

import io.paxoslease.runtime.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One key of one node: a fair local lock decides which thread of this node may ask, and the lease whether this node may.
 * The hold is set and cleared only by the thread that holds the local lock.
 */
final class LockState {

    private final PaxosLease node;
    private final String key;
    private final String resource;
    private final LockOptions options;
    private final LeaseLock facade;
    private final ReentrantLock local = new ReentrantLock(true);
    /** How many operations and holds rest on this object being the one for its key. */
    final AtomicInteger pins = new AtomicInteger();

    private volatile long lastUsed = System.nanoTime();
    private @Nullable Hold hold;

    LockState(LeaseLocks locks, PaxosLease node, LockOptions options, String key) {
        this.node = node;
        this.key = key;
        this.resource = PaxosLease.checkResource(options.prefix() + key);
        this.options = options;
        this.facade = new KeyLock(locks, key);
    }

    LeaseLock facade() {
        return facade;
    }

    boolean isUnusedSince(long nanoTime) {
        return pins.get() == 0 && lastUsed - nanoTime <= 0;
    }

    void unpin() {
        lastUsed = System.nanoTime();
        pins.decrementAndGet();
    }

    /** Waits for the local lock, then for the lease; keeps the interrupt flag. */
    void lockUninterruptibly(@Nullable Duration askedTtl) {
        local.lock();
        boolean interrupted = false;
        boolean locked = false;
        try {
            while (!locked) {
                try {
                    locked = enter(options(askedTtl));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            unlockUnless(locked);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void lockInterruptibly(@Nullable Duration askedTtl) throws InterruptedException {
        local.lockInterruptibly();
        boolean locked = false;
        try {
            locked = enter(options(askedTtl));
        } finally {
            unlockUnless(locked);
        }
    }

    /** Asks once, whether interrupted or not; keeps the interrupt flag. */
    boolean tryLockUninterruptibly() {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return tryLock(0, null);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @param waitNanos zero or less: ask once */
    boolean tryLock(long waitNanos, @Nullable Duration askedTtl) throws InterruptedException {
        long start = System.nanoTime();
        boolean mine = waitNanos <= 0 ? local.tryLock() : local.tryLock(waitNanos, TimeUnit.NANOSECONDS);
        if (!mine) {
            return false;
        }
        boolean locked = false;
        try {
            long left = Math.max(0, waitNanos - (System.nanoTime() - start));
            locked = enter(options(askedTtl).waitingAtMost(Duration.ofNanos(left)));
        } finally {
            unlockUnless(locked);
        }
        return locked;
    }

    private AcquireOptions options(@Nullable Duration askedTtl) {
        Duration time = askedTtl == null ? options.ttl() : askedTtl;
        return time == null ? AcquireOptions.renewing() : AcquireOptions.fixed(time);
    }

    private void unlockUnless(boolean locked) {
        if (!locked) {
            local.unlock();
        }
    }

    /** With the local lock just taken: takes the lease, or, in a nested call, makes sure that it is still held. */
    private boolean enter(AcquireOptions how) throws InterruptedException {
        if (local.getHoldCount() == 1) {
            HeldLease granted = node.await(resource, how).orElse(null);
            if (granted != null && !granted.isHeld()) { // it ended before this thread ran (section 6, row 32)
                granted.release();
                throw new LeaseLostException(
                        "The lease of the lock at %s was granted and ended before its thread ran: ".formatted(key)
                                + "it does not hold the lock. Use a longer lease time");
            }
            if (granted != null) {
                begin(new Hold(granted, how.leaseTime()));
            }
            return granted != null;
        }
        HeldLease current = requireOwner().lease();
        if (!current.isHeld()) {
            throw lost();
        }
        return how.leaseTime() == null || extend(current, how.leaseTime(), how.maxWait());
    }

    private void begin(Hold begun) {
        hold = begun;
        if (options.interruptOnLoss()) {
            begun.interruptOwnerOnLoss();
        }
    }

    /** Never waits for the network. */
    void unlock() {
        Hold current = requireOwner();
        boolean outermost = local.getHoldCount() == 1;
        boolean held = true;
        if (outermost) {
            hold = null;
            held = current.end();
        }
        local.unlock();
        if (!held) {
            throw lost();
        }
    }

    void renew(@Nullable Duration askedTtl) {
        Hold current = requireOwner();
        Duration time = askedTtl == null ? current.ttl() : askedTtl;
        extend(current.lease(), time == null ? node.defaultLeaseTime() : time, null);
    }

    void onLost(Runnable code) {
        requireOwner().onLost(code);
    }

    long fencingToken() {
        return requireOwner().lease().fencingToken();
    }

    Duration remaining() {
        Hold current = local.isHeldByCurrentThread() ? hold : null;
        return current == null ? Duration.ZERO : current.lease().remaining();
    }

    boolean isHeldByCurrentThread() {
        return !remaining().isZero();
    }

    boolean isHoldOfCurrentThread() {
        return local.isHeldByCurrentThread();
    }

    private Hold requireOwner() {
        Hold current = local.isHeldByCurrentThread() ? hold : null;
        if (current == null) {
            throw new IllegalMonitorStateException("You do not own lock at " + key);
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
            throw new PaxosLeaseException("The lock at " + key + " could not be renewed", e.getCause());
        }
    }

    private LeaseLostException lost() {
        return new LeaseLostException(
                "The lease of the lock at %s ended while it was held; another node may have held it since. "
                                .formatted(key)
                        + "Use a longer lease time, or compare fencing tokens where the lock guards an effect");
    }
}
