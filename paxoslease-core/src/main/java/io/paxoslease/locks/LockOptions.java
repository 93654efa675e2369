package io.paxoslease.locks;

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
 * @param idleRetention how long this node retains, and renews, the lease of a lock that none of its threads holds any more, so that
 *     the next thread has it at once; it is given up earlier when another node requests it. Zero: not at all.
 *     Always zero where the algorithm does not tell holders of requests
 * @param maxLocalHandoffs how many holds may end on this node, one after the other, after another node has requested the lock and
 *     before the lease is given up. One: the present hold is the last
 * @param waitTimeout how long {@link LeaseLock#lock()} and the others without a time to wait do wait at most; null: for ever
 */
public record LockOptions(
        String prefix,
        @Nullable Duration ttl,
        boolean interruptOnLoss,
        Duration idleRetention,
        int maxLocalHandoffs,
        @Nullable Duration waitTimeout) {

    /** The prefix that the Spring lock registry uses. */
    public static final String DEFAULT_PREFIX = "lock:";

    /** The default of {@link #idleRetention()}. */
    public static final Duration DEFAULT_IDLE_RETENTION = Duration.ofSeconds(1);

    /**
     * @throws IllegalArgumentException when the lease time or the time to wait is not positive, the retention is negative, or the hand-offs
     *     are below one
     */
    public LockOptions {
        Objects.requireNonNull(prefix, "prefix");
        if (ttl != null && (ttl.isNegative() || ttl.isZero())) {
            throw new IllegalArgumentException("The lease time of locks must be positive, not " + ttl
                    + ": leave it out for locks that are renewed while held");
        }
        if (idleRetention.isNegative()) {
            throw new IllegalArgumentException("The idle retention of locks must not be negative, and is "
                    + idleRetention + ": use zero to give a lock up at each unlock");
        }
        if (maxLocalHandoffs < 1) {
            throw new IllegalArgumentException("The local hand-offs of a contended lock must be at least 1, not "
                    + maxLocalHandoffs + ": the present hold is the first");
        }
        if (waitTimeout != null && (waitTimeout.isNegative() || waitTimeout.isZero())) {
            throw new IllegalArgumentException("The time that locks wait at most must be positive, not " + waitTimeout
                    + ": leave it out for locks that wait for ever");
        }
    }

    /** Renewed automatically, with the default prefix, retained for a second; no thread is interrupted. */
    public static LockOptions renewing() {
        return new LockOptions(DEFAULT_PREFIX, null, false, DEFAULT_IDLE_RETENTION, 1, null);
    }

    /** The same with another prefix. */
    public LockOptions withPrefix(String other) {
        return new LockOptions(other, ttl, interruptOnLoss, idleRetention, maxLocalHandoffs, waitTimeout);
    }

    /** Never renewed, and never retained: each lock ends at the given time after it was taken, or after a reentrant acquire. */
    public LockOptions withTtl(Duration time) {
        return new LockOptions(
                prefix,
                Objects.requireNonNull(time, "time"),
                interruptOnLoss,
                idleRetention,
                maxLocalHandoffs,
                waitTimeout);
    }

    /** Whether a loss interrupts the thread that holds the lock. */
    public LockOptions withInterruptOnLoss(boolean interrupt) {
        return new LockOptions(prefix, ttl, interrupt, idleRetention, maxLocalHandoffs, waitTimeout);
    }

    /** How long the lease of an idle lock is retained; zero: each unlock gives it up. */
    public LockOptions withIdleRetention(Duration time) {
        return new LockOptions(prefix, ttl, interruptOnLoss, time, maxLocalHandoffs, waitTimeout);
    }

    /** How many holds may end here before the lease goes to another node that has requested it. */
    public LockOptions withMaxLocalHandoffs(int handoffs) {
        return new LockOptions(prefix, ttl, interruptOnLoss, idleRetention, handoffs, waitTimeout);
    }

    /** How long a lock that is taken without a time to wait waits at most: then it throws {@link io.paxoslease.LeaseTimeoutException}. */
    public LockOptions withWaitTimeout(Duration time) {
        return new LockOptions(
                prefix, ttl, interruptOnLoss, idleRetention, maxLocalHandoffs, Objects.requireNonNull(time, "time"));
    }
}
