package io.paxoslease;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a set of locks behaves.
 *
 * @param prefix put before every key to make the resource name, so that locks and roles of one name never meet
 * @param ttl the lease time of locks taken without one: not renewed, but a reentrant acquire asks for it afresh; null: such
 *     locks are renewed automatically while held
 * @param interruptOnLoss whether the thread that holds a lock is interrupted when its lease is lost, see {@link LeaseLock}
 */
public record LockOptions(String prefix, @Nullable Duration ttl, boolean interruptOnLoss) {

    /** The prefix that the Spring lock registry uses. */
    public static final String DEFAULT_PREFIX = "lock:";

    /** @throws IllegalArgumentException when the lease time is not positive */
    public LockOptions {
        Objects.requireNonNull(prefix, "prefix");
        if (ttl != null && (ttl.isNegative() || ttl.isZero())) {
            throw new IllegalArgumentException("The lease time of locks must be positive, not " + ttl
                    + ": leave it out for locks that are renewed while held");
        }
    }

    /** Renewed automatically, with the default prefix; nobody is interrupted. */
    public static LockOptions renewing() {
        return new LockOptions(DEFAULT_PREFIX, null, false);
    }

    /** The same with another prefix. */
    public LockOptions withPrefix(String other) {
        return new LockOptions(other, ttl, interruptOnLoss);
    }

    /** Never renewed: each lock ends at the given time after it was taken, or after a reentrant acquire. */
    public LockOptions withTtl(Duration time) {
        return new LockOptions(prefix, Objects.requireNonNull(time, "time"), interruptOnLoss);
    }

    /** Whether a loss interrupts the thread that holds the lock. */
    public LockOptions withInterruptOnLoss(boolean interrupt) {
        return new LockOptions(prefix, ttl, interrupt);
    }
}
