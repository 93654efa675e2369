package io.paxoslease.locks;

import io.paxoslease.PaxosLease;
import io.paxoslease.node.LocalNode;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The locks of one node, by key. Thread-safe. Locks that are not in use are kept until {@link #expireUnusedOlderThan}; beyond
 * 100,000 locks, each new key also forgets a few that are not in use, so that any number of keys may be used.
 */
public final class LeaseLocks {

    private final LocalNode node;
    private final LockOptions options;
    private final LockStates states = new LockStates(this::newState);

    /**
     * Locks over the leases of that node.
     *
     * @throws IllegalArgumentException when the locks' lease time is above the cell's maximum
     */
    public LeaseLocks(PaxosLease node, LockOptions options) {
        this.node = LocalNode.of(node);
        Objects.requireNonNull(options, "options");
        // Clients of a store do not hear that others want a lease: one that was kept would starve them.
        this.options = node.options().storage() == null ? options : options.withKeep(Duration.ZERO);
        Duration ttl = options.ttl();
        Duration max = node.options().maxLeaseTime();
        if (ttl != null && ttl.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    "The lease time of locks must be at most the cell's maximum lease time, %s, not %s: ask for less, or raise maxLeaseTime (paxoslease.max-lease-time) on every node"
                            .formatted(max, ttl));
        }
    }

    /**
     * The lock of that key: the same object for the same key as long as it is in use. Nothing is sent until it is locked.
     *
     * @throws IllegalArgumentException when the key with the prefix is longer than 255 bytes of UTF-8, or empty
     */
    public LeaseLock get(String key) {
        Objects.requireNonNull(key, "key");
        return state(key).facade();
    }

    /**
     * Forgets locks that no thread has used for the given time, and gives up their leases where they are kept. Never touches one
     * that is held or waited for.
     */
    public void expireUnusedOlderThan(Duration age) {
        states.expireUnusedFor(Math.max(0, saturatedNanos(age)));
    }

    /** The state of that key: there is one that is not retired at most, and it is this until it is retired, too. */
    LockState state(String key) {
        return states.get(key);
    }

    private LockState newState(String key) {
        return new LockState(this, node, options, key);
    }

    static long saturatedNanos(Duration time) {
        try {
            return time.toNanos();
        } catch (ArithmeticException tooLong) {
            return time.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    static long saturatedNanos(long time, TimeUnit unit) {
        return unit.toNanos(time);
    }
}
