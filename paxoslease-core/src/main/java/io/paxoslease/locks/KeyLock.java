package io.paxoslease.locks;

import io.paxoslease.locks.LockState.Outcome;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * What a user holds in hand. It refers to the state of its key; when that has been forgotten, which happens to unused ones
 * only, it finds the present one, so that forgetting can never split a lock in two.
 */
final class KeyLock implements LeaseLock {

    private final LeaseLocks locks;
    private final String key;
    private volatile LockState state;

    KeyLock(LeaseLocks locks, String key, LockState state) {
        this.locks = locks;
        this.key = key;
        this.state = state;
    }

    /** At most one state of a key is not retired, so it is the one. */
    private LockState state() {
        LockState known = state;
        if (known.isRetired()) {
            known = locks.state(key);
            state = known;
        }
        return known;
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
        Outcome outcome = state.lockUninterruptibly(ttl);
        while (outcome == Outcome.RETIRED) {
            outcome = state().lockUninterruptibly(ttl);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Outcome outcome = state.lockInterruptibly();
        while (outcome == Outcome.RETIRED) {
            outcome = state().lockInterruptibly();
        }
    }

    /** Asks once, and is not interrupted. */
    @Override
    public boolean tryLock() {
        Outcome outcome = state.tryLock();
        while (outcome == Outcome.RETIRED) {
            outcome = state().tryLock();
        }
        return outcome == Outcome.LOCKED;
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
        Outcome outcome = state.tryLock(waitNanos, ttl);
        while (outcome == Outcome.RETIRED) {
            outcome = state().tryLock(waitNanos, ttl);
        }
        return outcome == Outcome.LOCKED;
    }

    @Override
    public void unlock() {
        state().unlock();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions: its waiters are on other nodes");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return state().isHeldByCurrentThread();
    }

    @Override
    public long fencingToken() {
        return state().fencingToken();
    }

    @Override
    public Duration remaining() {
        return state().remaining();
    }

    @Override
    public void renew() {
        state().renew(null);
    }

    @Override
    public void renew(Duration ttl) {
        state().renew(Objects.requireNonNull(ttl, "ttl"));
    }

    @Override
    public void onLost(Runnable code) {
        state().onLost(Objects.requireNonNull(code, "code"));
    }

    @Override
    public String toString() {
        return "LeaseLock[" + key + "]";
    }
}
