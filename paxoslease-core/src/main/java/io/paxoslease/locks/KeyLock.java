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
        lockUninterruptibly(Objects.requireNonNull(time, "leaseTime"));
    }

    /** Waits for the mutex, then for the lease; keeps the interrupt flag. */
    private void lockUninterruptibly(@Nullable Duration askedTime) {
        Duration limit = locks.options.waitTimeout();
        boolean locked;
        if (limit == null) {
            locks.checkLeaseTime(key, askedTime);
            locked = enterUninterruptibly(take(), askedTime, null);
        } else {
            NodeClock clock = locks.node.clock();
            Moment end = clock.read().moment().plusNanos(TimeUnit.NANOSECONDS.convert(limit));
            locked = Threads.uninterruptibly(
                    () -> tryLockFor(clock.read().moment().nanosUntil(end), askedTime));
        }
        if (!locked) {
            throw notGranted();
        }
    }

    /** Waits for the mutex, whether interrupted or not. */
    private LockLease take() {
        LockLease mine = entry();
        mine.mutex.lock();
        while (!mine.isEntered()) {
            mine = entry();
            mine.mutex.lock();
        }
        return mine;
    }

    private LeaseTimeoutException notGranted() {
        String name = Printable.name(key);
        return new LeaseTimeoutException(
                locks.isEnding()
                        ? "The lock at %s is not free at once, and this node no longer waits for one, because it is being stopped"
                                .formatted(name)
                        : "The lock at %s was not granted within %s (waitTimeout): another node or thread holds it, or no majority answers%s"
                                .formatted(
                                        name,
                                        locks.options.waitTimeout(),
                                        locks.node.storeTrouble(locks.options.prefix() + key)));
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
        LockLease present = entry();
        while (!isTakenInterruptibly(present)) {
            present = entry();
        }
        return enter(present, null, null);
    }

    /** False when it is closed. */
    private boolean isTakenInterruptibly(LockLease present) throws InterruptedException {
        boolean mine = false;
        try {
            present.mutex.lockInterruptibly();
            mine = present.isEntered();
        } finally {
            stopWaitingUnless(mine, present);
        }
        return mine;
    }

    /** Asks once, whether interrupted or not; keeps the interrupt flag. */
    @Override
    public boolean tryLock() {
        LockLease mine = tryTake();
        return mine != null && enterUninterruptibly(mine, null, Duration.ZERO);
    }

    /** Null when another thread has the mutex, or is the next to have it. */
    private @Nullable LockLease tryTake() {
        LockLease present = entry();
        while (present.mutex.tryLock()) {
            if (present.isEntered()) {
                return present;
            }
            present = entry();
        }
        return null;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockFor(unit.toNanos(time), null);
    }

    @Override
    public boolean tryLock(Duration wait, Duration time) throws InterruptedException {
        return tryLockFor(TimeUnit.NANOSECONDS.convert(wait), Objects.requireNonNull(time, "leaseTime"));
    }

    private boolean tryLockFor(long waitNanos, @Nullable Duration askedTime) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        locks.checkLeaseTime(key, askedTime);
        long left = waitNanos;
        LockLease mine = tryTake();
        if (mine == null) {
            NodeClock clock = locks.node.clock();
            Moment start = clock.read().moment();
            mine = waitNanos <= 0 ? null : await(clock, start, waitNanos);
            if (mine == null) {
                return false;
            }
            left -= start.nanosUntil(clock.read().moment());
        }
        return enter(mine, askedTime, Duration.ofNanos(Math.max(0, left)));
    }

    /** Null when the time was over. */
    private @Nullable LockLease await(NodeClock clock, Moment start, long nanos) throws InterruptedException {
        LockLease present = entry();
        long left = nanos;
        while (isLetIn(present, clock, left)) {
            if (present.mutex.isHeldByCurrentThread()) {
                return present;
            }
            present = entry();
            left = nanos - start.nanosUntil(clock.read().moment());
        }
        return null;
    }

    /** Whether the thread may go on: with the mutex, or without it when this lease is closed. */
    private boolean isLetIn(LockLease present, NodeClock clock, long nanos) throws InterruptedException {
        boolean mine = false;
        try {
            boolean letIn = clock.await(nanos, present.mutex::tryLock);
            mine = letIn && present.isEntered();
            return letIn;
        } finally {
            stopWaitingUnless(mine, present);
        }
    }

    private static void stopWaitingUnless(boolean mine, LockLease lease) {
        if (!mine) {
            lease.releaseIfContended();
        }
    }

    private boolean enter(LockLease mine, @Nullable Duration askedTime, @Nullable Duration wait)
            throws InterruptedException {
        boolean locked = false;
        try {
            locked = isGrantedAtOnce(mine, askedTime) || tryEnter(mine, askedTime, wait);
        } finally {
            leaveUnless(locked, mine);
        }
        return locked;
    }

    private boolean enterUninterruptibly(LockLease mine, @Nullable Duration askedTime, @Nullable Duration wait) {
        boolean locked = false;
        try {
            locked = isGrantedAtOnce(mine, askedTime) || Threads.uninterruptibly(() -> tryEnter(mine, askedTime, wait));
        } finally {
            leaveUnless(locked, mine);
        }
        return locked;
    }

    /** Frees the mutex, or takes the nested hold back. */
    private static void leaveUnless(boolean locked, LockLease mine) {
        if (locked) {
            return;
        }
        if (mine.mutex.holds() == 1) {
            mine.hold = null;
            mine.leave();
        } else {
            mine.mutex.unlock();
        }
    }

    /** With the mutex just taken: whether a lease was retained, and holds at this moment. */
    private boolean isGrantedAtOnce(LockLease mine, @Nullable Duration askedTime) {
        HeldLease retained = mine.lease();
        if (askedTime != null || retained == null || mine.mutex.holds() != 1 || !retained.isHeld()) {
            return false;
        }
        interruptOnLoss(mine, retained);
        return true;
    }

    /** With the mutex just taken: takes the lease, or, in a nested call, makes sure that it is still held. */
    private boolean tryEnter(LockLease mine, @Nullable Duration askedTime, @Nullable Duration wait)
            throws InterruptedException {
        Duration time = askedTime == null ? locks.options.leaseTime() : askedTime;
        AcquireOptions asked = time == null ? AcquireOptions.renewing() : AcquireOptions.fixed(time);
        AcquireOptions how =
                wait == null ? asked : asked.toBuilder().maxWait(wait).build();
        return mine.mutex.holds() == 1 ? acquire(mine, how) : enterAgain(how);
    }

    private boolean acquire(LockLease mine, AcquireOptions how) throws InterruptedException {
        HeldLease granted = mine.request(how);
        if (granted == null) {
            return false;
        }
        try {
            if (!granted.isHeld()) { // it ended before this thread ran (K1)
                throw new LeaseLostException("The lease of the lock at %s was granted and ended before its thread ran: "
                                .formatted(Printable.name(key))
                        + "it does not hold the lock. Use a longer lease time");
            }
            mine.leaseTime = how.leaseTime();
            mine.begin(granted, how.renewed());
            interruptOnLoss(mine, granted);
            return true;
        } catch (RuntimeException | Error e) { // or for want of memory
            mine.end();
            granted.release();
            throw e;
        }
    }

    private void interruptOnLoss(LockLease mine, HeldLease granted) {
        if (locks.options.interruptOnLoss()) {
            LockHold begun = new LockHold(granted);
            mine.hold = begun;
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
