package io.paxoslease.spring.lock;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks among the nodes of a cell, by key. Thread-safe.
 *
 * <p>The node renews a lock without a time to live while a thread holds it and a majority answers; no task scheduler is
 * needed. A lock with a time to live ends after that time, unless {@link #renewLock} extends it. Keys are strings; all
 * applications of a cell share them.
 *
 * <p>When the application context stops, before anything else in it does, waits for a lock that another instance holds end, so that none of
 * them holds the shutdown up: {@code lock()} throws {@link io.paxoslease.LeaseTimeoutException}, {@code tryLock} returns false. A lock that
 * is free is still granted.
 */
public final class PaxosLeaseLockRegistry
        implements RenewableLockRegistry<DistributedLock>,
                ExpirableLockRegistry<DistributedLock>,
                SmartLifecycle,
                DisposableBean {

    /** A century: a longer time does not fit into a nanosecond clock. */
    private static final long LONGEST_AGE_MILLIS = Duration.ofDays(36_500).toMillis();

    private final LeaseLocks locks;
    private final LockCache cache;
    private volatile boolean running;

    /**
     * Locks that are renewed automatically.
     *
     * @param node takes and renews the leases
     */
    public PaxosLeaseLockRegistry(PaxosLease node) {
        this(node, LockOptions.defaults());
    }

    /**
     * @param node takes and renews the leases
     * @param options whether locks that are taken without a time to live are renewed, and whether a loss interrupts
     * @throws IllegalArgumentException when the time to live is longer than {@code paxoslease.max-lease-time}
     */
    public PaxosLeaseLockRegistry(PaxosLease node, LockOptions options) {
        this(node, new LeaseLocks(node, options));
    }

    /**
     * The same locks as those of another user of this node: a thread that holds one there holds it here.
     *
     * @param node takes and renews the leases
     * @param locks made for this node
     */
    public PaxosLeaseLockRegistry(PaxosLease node, LeaseLocks locks) {
        this.locks = locks;
        Duration maxTtl = node.monitor().options().maxLeaseTime();
        this.cache = new LockCache(key -> new LeaseLockAdapter(locks.get(key), maxTtl));
    }

    /**
     * The lock of that key: the same object for as long as the application references it.
     *
     * @param lockKey a string
     * @throws IllegalArgumentException if the key is not a string, or is too long
     */
    @Override
    public PaxosLeaseLock obtain(Object lockKey) {
        return lockOf(lockKey);
    }

    /**
     * Extends the calling thread's hold by the lease time it was taken with, and waits for the cell's answer.
     *
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     * @throws io.paxoslease.LeaseLostException when the lease has ended
     */
    @Override
    public void renewLock(Object lockKey) {
        lockOf(lockKey).renew();
    }

    /**
     * Extends the calling thread's hold to the given time from now, and waits for the cell's answer.
     *
     * @throws IllegalArgumentException when the time is not positive, or longer than {@code paxoslease.max-lease-time}
     * @throws IllegalMonitorStateException when the calling thread does not hold the lock
     * @throws io.paxoslease.LeaseLostException when the lease has ended
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lockOf(lockKey).renew(ttl);
    }

    /**
     * Forgets the state of keys that no thread has used for the given time. Never affects a lock that is held or waited
     * for; a lock object that was obtained before stays valid.
     *
     * @param age in milliseconds
     */
    @Override
    public void expireUnusedOlderThan(long age) {
        locks.expireUnusedOlderThan(Duration.ofMillis(Math.max(0, Math.min(age, LONGEST_AGE_MILLIS))));
    }

    /** Forgets the state of keys that are not in use. The leases of held locks end with the node. */
    @Override
    public void destroy() {
        locks.expireUnusedOlderThan(Duration.ZERO);
    }

    /** Allows waits again, after a stop. */
    @Override
    public void start() {
        locks.allowWaits();
        running = true;
    }

    /** Ends every wait for a lock of another instance. */
    @Override
    public void stop() {
        running = false;
        locks.endWaits();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server waits for its requests. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    private LeaseLockAdapter lockOf(@Nullable Object lockKey) {
        if (lockKey instanceof String key) {
            return cache.get(key);
        }
        throw new IllegalArgumentException(
                lockKey == null
                        ? "The lock key must not be null; pass a String"
                        : "The lock key must be a String that is the same on every node, not '%s' of %s; pass a String, for instance one made of an id"
                                .formatted(
                                        Printable.name(lockKey),
                                        lockKey.getClass().getName()));
    }
}
