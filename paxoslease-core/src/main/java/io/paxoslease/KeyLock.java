package io.paxoslease;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * What a user holds in hand: it finds the state of its key at each call, so that forgetting an unused state can never split
 * a lock in two. Every hold pins the state once; so does every call that may lock, while it runs.
 */
final class KeyLock implements LeaseLock {

    private final LeaseLocks locks;
    private final String key;

    KeyLock(LeaseLocks locks, String key) {
        this.locks = locks;
        this.key = key;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public void lock() {
        lockFor(null);
    }

    @Override
    public void lock(Duration ttl) {
        lockFor(Objects.requireNonNull(ttl, "ttl"));
    }

    private void lockFor(@Nullable Duration ttl) {
        LockState state = locks.pin(key);
        boolean locked = false;
        try {
            state.lockUninterruptibly(ttl);
            locked = true;
        } finally {
            unpinUnless(locked, state);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        LockState state = locks.pin(key);
        boolean locked = false;
        try {
            state.lockInterruptibly(null);
            locked = true;
        } finally {
            unpinUnless(locked, state);
        }
    }

    /** Asks once, and is not interrupted. */
    @Override
    public boolean tryLock() {
        LockState state = locks.pin(key);
        boolean locked = false;
        try {
            locked = state.tryLockUninterruptibly();
            return locked;
        } finally {
            unpinUnless(locked, state);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockFor(LeaseLocks.saturatedNanos(time, unit), null);
    }

    @Override
    public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
        return tryLockFor(LeaseLocks.saturatedNanos(wait), Objects.requireNonNull(ttl, "ttl"));
    }

    private boolean tryLockFor(long waitNanos, @Nullable Duration ttl) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        LockState state = locks.pin(key);
        boolean locked = false;
        try {
            locked = state.tryLock(waitNanos, ttl);
            return locked;
        } finally {
            unpinUnless(locked, state);
        }
    }

    @Override
    public void unlock() {
        LockState state = locks.peek(key);
        boolean held = state.isHoldOfCurrentThread();
        try {
            state.unlock();
        } finally {
            unpinUnless(!held, state);
        }
    }

    private static void unpinUnless(boolean keep, LockState state) {
        if (!keep) {
            state.unpin();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions: its waiters are on other nodes");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return locks.peek(key).isHeldByCurrentThread();
    }

    @Override
    public long fencingToken() {
        return locks.peek(key).fencingToken();
    }

    @Override
    public Duration remaining() {
        return locks.peek(key).remaining();
    }

    @Override
    public void renew() {
        locks.peek(key).renew(null);
    }

    @Override
    public void renew(Duration ttl) {
        locks.peek(key).renew(Objects.requireNonNull(ttl, "ttl"));
    }

    @Override
    public void onLost(Runnable code) {
        locks.peek(key).onLost(Objects.requireNonNull(code, "code"));
    }

    @Override
    public String toString() {
        return "LeaseLock[" + key + "]";
    }
}
