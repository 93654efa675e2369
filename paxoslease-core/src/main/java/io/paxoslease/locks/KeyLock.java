package io.paxoslease.locks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseLostException;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one key on one node: a mutex decides which thread of this node may hold the lock or request it, and the lease whether
 * this node may.
 */
final class KeyLock extends OwnedLock {

    KeyLock(LeaseLocks locks, String key) {
        super(locks, key);
    }

    @Override
    public void lock() {
        lockUninterruptibly(null);
    }

    @Override
    public void lock(Duration time) {
        lockUninterruptibly(Objects.requireNonNull(time, "ttl"));
    }

    /** Waits for the mutex, then for the lease; keeps the interrupt flag. */
    private void lockUninterruptibly(@Nullable Duration askedTtl) {
        Duration limit = locks.options.waitTimeout();
        boolean locked;
        if (limit == null) {
            locks.checkLeaseTime(key, askedTtl);
            mutex.lock();
            locked = enterUninterruptibly(askedTtl, null);
        } else {
            NodeClock clock = locks.node.clock();
            Moment end = clock.read().moment().plusNanos(TimeUnit.NANOSECONDS.convert(limit));
            locked = Threads.uninterruptibly(
                    () -> tryLockFor(clock.read().moment().nanosUntil(end), askedTtl));
        }
        if (!locked) {
            throw notGranted();
        }
    }

    private LeaseTimeoutException notGranted() {
        String name = Printable.name(key);
        return new LeaseTimeoutException(
                locks.isEnding()
                        ? "The lock at %s is not free at once, and this node waits for none any more, as it is being stopped"
                                .formatted(name)
                        : "The lock at %s was not granted within %s (paxoslease.locks.wait-timeout): another node or thread holds it, or no majority answers"
                                .formatted(name, locks.options.waitTimeout()));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!isLockedInterruptibly()) {
            throw notGranted();
        }
    }

    private boolean isLockedInterruptibly() throws InterruptedException {
        Duration limit = locks.options.waitTimeout();
        if (limit != null) {
            return tryLockFor(TimeUnit.NANOSECONDS.convert(limit), null);
        }
        boolean mine = false;
        try {
            mutex.lockInterruptibly();
            mine = true;
        } finally {
            stopWaitingUnless(mine);
        }
        return enter(null, null);
    }

    /** Asks once, whether interrupted or not; keeps the interrupt flag. */
    @Override
    public boolean tryLock() {
        return mutex.tryLock() && enterUninterruptibly(null, Duration.ZERO);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockFor(unit.toNanos(time), null);
    }

    @Override
    public boolean tryLock(Duration wait, Duration time) throws InterruptedException {
        return tryLockFor(TimeUnit.NANOSECONDS.convert(wait), Objects.requireNonNull(time, "ttl"));
    }

    private boolean tryLockFor(long waitNanos, @Nullable Duration askedTtl) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        locks.checkLeaseTime(key, askedTtl);
        long left = waitNanos;
        if (!mutex.tryLock()) {
            NodeClock clock = locks.node.clock();
            Moment start = clock.read().moment();
            if (waitNanos <= 0 || !awaitMutex(clock, waitNanos)) {
                return false;
            }
            left -= start.nanosUntil(clock.read().moment());
        }
        return enter(askedTtl, Duration.ofNanos(Math.max(0, left)));
    }

    private boolean awaitMutex(NodeClock clock, long nanos) throws InterruptedException {
        boolean mine = false;
        try {
            mine = clock.await(nanos, mutex::tryLock);
        } finally {
            stopWaitingUnless(mine);
        }
        return mine;
    }

    private void stopWaitingUnless(boolean mine) {
        if (!mine) {
            lease.releaseIfContended();
        }
    }

    private boolean enter(@Nullable Duration askedTtl, @Nullable Duration wait) throws InterruptedException {
        boolean locked = false;
        try {
            locked = isGrantedAtOnce(askedTtl) || tryEnter(askedTtl, wait);
        } finally {
            leaveUnless(locked);
        }
        return locked;
    }

    private boolean enterUninterruptibly(@Nullable Duration askedTtl, @Nullable Duration wait) {
        boolean locked = false;
        try {
            locked = isGrantedAtOnce(askedTtl) || Threads.uninterruptibly(() -> tryEnter(askedTtl, wait));
        } finally {
            leaveUnless(locked);
        }
        return locked;
    }

    /** Frees the mutex, or takes the nested hold back. */
    private void leaveUnless(boolean locked) {
        if (locked) {
            return;
        }
        if (mutex.holds() == 1) {
            hold = null;
            lease.leave();
        } else {
            mutex.unlock();
        }
    }

    /** With the mutex just taken: whether a lease was retained, and holds at this moment. */
    private boolean isGrantedAtOnce(@Nullable Duration askedTtl) {
        HeldLease retained = lease.lease();
        if (askedTtl != null || retained == null || mutex.holds() != 1 || !retained.isHeld()) {
            return false;
        }
        interruptOnLoss(retained);
        return true;
    }

    /** With the mutex just taken: takes the lease, or, in a nested call, makes sure that it is still held. */
    private boolean tryEnter(@Nullable Duration askedTtl, @Nullable Duration wait) throws InterruptedException {
        Duration time = askedTtl == null ? locks.options.ttl() : askedTtl;
        AcquireOptions asked = time == null ? AcquireOptions.renewing() : AcquireOptions.fixed(time);
        AcquireOptions how = wait == null ? asked : asked.waitingAtMost(wait);
        return mutex.holds() == 1 ? acquire(how) : enterAgain(how);
    }

    private boolean acquire(AcquireOptions how) throws InterruptedException {
        HeldLease granted = lease.request(how);
        if (granted == null) {
            return false;
        }
        boolean begun = false;
        try {
            if (!granted.isHeld()) { // it ended before this thread ran (K1)
                throw new LeaseLostException("The lease of the lock at %s was granted and ended before its thread ran: "
                                .formatted(Printable.name(key))
                        + "it does not hold the lock. Use a longer lease time");
            }
            ttl = how.leaseTime();
            lease.begin(granted, how.renewed());
            interruptOnLoss(granted);
            begun = true;
        } finally {
            if (!begun) { // or for want of memory
                lease.end();
                granted.release();
            }
        }
        return true;
    }

    private void interruptOnLoss(HeldLease granted) {
        if (locks.options.interruptOnLoss()) {
            LockHold begun = new LockHold(granted);
            hold = begun;
            begun.interruptOwnerOnLoss();
        }
    }

    private boolean enterAgain(AcquireOptions how) {
        HeldLease current = requireOwner();
        if (!current.isHeld()) {
            throw lost();
        }
        return how.leaseTime() == null || extend(current, how.leaseTime(), how.maxWait());
    }
}
