package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Adapts a {@link LeaseLock} to Spring Integration. It has no state of its own. */
final class LeaseLockAdapter implements PaxosLeaseLock {

    private final LeaseLock lock;
    private final Duration maxTtl;

    LeaseLockAdapter(LeaseLock lock, Duration maxTtl) {
        this.lock = lock;
        this.maxTtl = maxTtl;
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void lock(Duration ttl) {
        lock.lock(checked(ttl));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return lock.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lock.tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return lock.tryLock(waitTime, checked(ttl));
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    void renew() {
        lock.renew();
    }

    void renew(Duration ttl) {
        lock.renew(checked(ttl));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return lock.isHeldByCurrentThread();
    }

    @Override
    public long fencingToken() {
        return lock.fencingToken();
    }

    @Override
    public Duration remaining() {
        return lock.remaining();
    }

    @Override
    public void onLost(Runnable code) {
        lock.onLost(code);
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    @Override
    public String toString() {
        return "PaxosLeaseLock{key=%s}".formatted(lock.key());
    }

    private Duration checked(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(maxTtl) > 0) {
            throw new IllegalArgumentException(
                    "The time to live of the lock '%s' must be positive and at most %s, not %s; for more, raise the property paxoslease.max-lease-time on every node, or lock without a time to live"
                            .formatted(Printable.name(lock.key()), maxTtl, ttl));
        }
        return ttl;
    }
}
