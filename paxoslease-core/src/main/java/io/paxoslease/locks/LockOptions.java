package io.paxoslease.locks;

import io.paxoslease.Algorithm;
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
 * @param keep how long this node keeps, and renews, the lease of a lock that none of its threads holds any more, so that the
 *     next one has it at once; it is given up earlier when another node asks for it. Zero: not at all.
 *     With {@link Algorithm#STORAGE} always so: clients of a store do not hear what others ask for
 * @param localTurns how many threads of this node may end a hold, one after the other, from when another node has asked for the
 *     lock until the lease is given up. One: whoever holds it then is the last
 */
public record LockOptions(
        String prefix, @Nullable Duration ttl, boolean interruptOnLoss, Duration keep, int localTurns) {

    /** The prefix that the Spring lock registry uses. */
    public static final String DEFAULT_PREFIX = "lock:";

    /** How long a lease is kept unless something else is said. */
    public static final Duration DEFAULT_KEEP = Duration.ofSeconds(1);

    /** @throws IllegalArgumentException when the lease time is not positive, the time to keep negative, or there are no turns */
    public LockOptions {
        Objects.requireNonNull(prefix, "prefix");
        if (ttl != null && (ttl.isNegative() || ttl.isZero())) {
            throw new IllegalArgumentException("The lease time of locks must be positive, not " + ttl
                    + ": leave it out for locks that are renewed while held");
        }
        if (keep.isNegative()) {
            throw new IllegalArgumentException("The time to keep unused locks must not be negative, and is " + keep
                    + ": use zero to give a lock up at each unlock");
        }
        if (localTurns < 1) {
            throw new IllegalArgumentException("The local turns of a lock that others wait for must be at least 1, not "
                    + localTurns + ": whoever holds it has one");
        }
    }

    /** Renewed automatically, with the default prefix, kept for a second; nobody is interrupted. */
    public static LockOptions renewing() {
        return new LockOptions(DEFAULT_PREFIX, null, false, DEFAULT_KEEP, 1);
    }

    /** The same with another prefix. */
    public LockOptions withPrefix(String other) {
        return new LockOptions(other, ttl, interruptOnLoss, keep, localTurns);
    }

    /** Never renewed, and never kept: each lock ends at the given time after it was taken, or after a reentrant acquire. */
    public LockOptions withTtl(Duration time) {
        return new LockOptions(prefix, Objects.requireNonNull(time, "time"), interruptOnLoss, keep, localTurns);
    }

    /** Whether a loss interrupts the thread that holds the lock. */
    public LockOptions withInterruptOnLoss(boolean interrupt) {
        return new LockOptions(prefix, ttl, interrupt, keep, localTurns);
    }

    /** How long the lease of a lock that no thread here holds is kept; zero: each unlock gives it up. */
    public LockOptions withKeep(Duration time) {
        return new LockOptions(prefix, ttl, interruptOnLoss, time, localTurns);
    }

    /** How many threads here may end a hold before the lease goes to another node that has asked for it. */
    public LockOptions withLocalTurns(int turns) {
        return new LockOptions(prefix, ttl, interruptOnLoss, keep, turns);
    }
}
