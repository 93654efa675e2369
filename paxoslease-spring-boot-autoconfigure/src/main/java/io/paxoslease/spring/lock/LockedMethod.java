package io.paxoslease.spring.lock;

import io.paxoslease.Lease;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LeaseSemaphore;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How calls of one {@link Locked} method are locked.
 *
 * @param longest the longest wait; null: as {@code lock()} waits
 * @param skipped creates the value that a skipped call returns; null if such calls throw
 */
record LockedMethod(
        String method,
        LockKey key,
        @Nullable Duration longest,
        int permits,
        @Nullable Supplier<@Nullable Object> skipped) {

    private static final Logger log = LoggerFactory.getLogger(Locked.class);

    /** Takes the lock for one call on this thread; null if it was not granted. */
    @Nullable
    LockedScope take(LeaseLocks locks, String of) {
        try {
            return permits == 1 ? lock(locks.get(of)) : permit(new LeaseSemaphore(locks, of, permits), of);
        } catch (LeaseTimeoutException late) {
            log.debug("{} is not called: {}", Printable.name(method), Printable.text(late.getMessage()));
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            log.debug("{} is not called: its thread was interrupted while it waited", Printable.name(method));
            return null;
        }
    }

    private @Nullable LockedScope lock(LeaseLock lock) throws InterruptedException {
        if (longest == null) {
            lock.lockInterruptibly();
            return new LockedScope.OfLock(lock);
        }
        boolean locked = longest.isZero() ? lock.tryLock() : lock.tryLock(nanos(longest), TimeUnit.NANOSECONDS);
        return locked ? new LockedScope.OfLock(lock) : null;
    }

    private @Nullable LockedScope permit(LeaseSemaphore semaphore, String of) throws InterruptedException {
        Lease permit = longest == null
                ? semaphore.acquire()
                : semaphore.tryAcquire(longest).orElse(null);
        return permit == null ? null : new LockedScope.OfPermit(of, permit);
    }

    private static long nanos(Duration time) {
        return TimeUnit.NANOSECONDS.convert(time);
    }

    @Nullable
    Object refuse(String of) {
        if (skipped != null) {
            log.debug("{} was skipped: the lock {} was not granted", Printable.name(method), Printable.name(of));
            return skipped.get();
        }
        String limit = longest == null ? "in time" : longest.isZero() ? "at once" : "within " + longest;
        throw new LockUnavailableException(
                of,
                "%s was not called: its lock '%s' was not granted %s; another call holds it, or no majority answers"
                        .formatted(method, Printable.name(of), limit));
    }
}
