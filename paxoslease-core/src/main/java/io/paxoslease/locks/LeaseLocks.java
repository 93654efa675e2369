package io.paxoslease.locks;

import io.paxoslease.PaxosLease;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.PendingLease;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one node, by key. Thread-safe. A lock is remembered while the application or a thread refers to it, and while it has
 * a lease. Beyond {@value #MANY} keys, each new key also checks a few of the others: it forgets those that were collected, and gives up
 * the leases of idle locks. So a new key costs the same however many there are, and what is kept is bounded by what is in use.
 */
public final class LeaseLocks {

    private static final int MANY = 100_000;
    /** Of any number in use, at most a third as many that are not are kept beside them. */
    private static final int CHECKED = 4;

    final LocalNode node;
    final LockOptions options;
    private final ConcurrentHashMap<String, LockReference> byKey = new ConcurrentHashMap<>();
    final LockWatch watch = new LockWatch();
    /** What threads wait for. */
    private final Set<PendingLease> waits = ConcurrentHashMap.newKeySet();

    private volatile boolean ending;
    /** The keys that are checked next. Guarded by the map. */
    private Iterator<Map.Entry<String, LockReference>> cursor = Collections.emptyIterator();

    /**
     * Locks over the leases of that node.
     *
     * @throws IllegalArgumentException when the locks' lease time is above the cell's maximum
     */
    public LeaseLocks(PaxosLease node, LockOptions options) {
        this.node = LocalNode.of(node);
        Objects.requireNonNull(options, "options");
        // Where a holder is not told that another node waits for its lease, a retained lease would starve that node.
        this.options = this.node.algorithm().tellsHolders()
                ? options
                : options.toBuilder().idleRetention(Duration.ZERO).build();
        Duration leaseTime = options.leaseTime();
        if (leaseTime != null) {
            this.node.leaseTimes().check("The lease time of locks", leaseTime);
        }
    }

    /**
     * The lock of that key: the same object for the same key while it is referred to or in use. Nothing is sent until it is locked.
     *
     * @throws IllegalArgumentException when the key with the prefix is longer than 255 bytes of UTF-8, or empty
     */
    public LeaseLock get(String key) {
        LockReference known = reference(Objects.requireNonNull(key, "key"));
        OwnedLock lock = known == null ? null : known.get();
        return lock == null ? add(key) : lock;
    }

    /**
     * The key of one of several locks that have a name in common: {@code name:part}, as Spring's {@code @Locked(name = ..., key = ...)} has it. A
     * colon or a backslash of the name has a backslash in front, and the part is taken as it is, so no other name and part have this key.
     *
     * @param name the name that the locks have in common, a constant of the application
     * @param part which of them it is, for instance an id; may come from a caller
     */
    public static String key(String name, String part) {
        boolean plain = name.indexOf(':') < 0 && name.indexOf('\\') < 0;
        return (plain ? name : name.replace("\\", "\\\\").replace(":", "\\:")) + ":" + part;
    }

    private LeaseLock add(String key) {
        OwnedLock fresh = new KeyLock(this, key);
        LockReference present = byKey.putIfAbsent(key, fresh.reference);
        while (present != null) {
            OwnedLock other = present.get();
            if (other != null) {
                return other;
            }
            byKey.remove(key, present);
            present = byKey.putIfAbsent(key, fresh.reference);
        }
        if (size() > MANY) {
            checkSome();
        }
        return fresh;
    }

    private void checkSome() {
        for (int i = 0; i < CHECKED; i++) {
            Map.Entry<String, LockReference> next = next();
            if (next != null) {
                forgetIfUnused(next.getKey(), next.getValue(), 0);
            }
        }
    }

    private Map.@Nullable Entry<String, LockReference> next() {
        synchronized (byKey) {
            if (!cursor.hasNext()) {
                cursor = byKey.entrySet().iterator();
            }
            return cursor.hasNext() ? cursor.next() : null;
        }
    }

    private void forgetIfUnused(String key, LockReference reference, long nanos) {
        OwnedLock lock = reference.get();
        if (lock == null) {
            byKey.remove(key, reference);
        } else {
            lock.lease.expire(nanos);
        }
    }

    /**
     * Gives up the leases of locks that no thread has used for the given time, and forgets locks that are not referred to any more.
     * Leaves a lock alone that is held or waited for.
     */
    public void expireUnusedOlderThan(Duration age) {
        long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(age));
        byKey.forEach((key, reference) -> forgetIfUnused(key, reference, nanos));
    }

    /**
     * Ends every wait for another node: a thread that waits for a lock's lease gives up as if its time were over, and one that asks later
     * asks once. {@code lock()} then throws {@link io.paxoslease.LeaseTimeoutException}, and {@code tryLock} returns false. The same holds for
     * permits of semaphores. Locks that are held stay so, and threads of this node wait for each other as before. Made for a stop, which nothing may hold up.
     */
    public void endWaits() {
        ending = true;
        waits.forEach(PendingLease::endWait);
    }

    /** Takes {@link #endWaits()} back, at a new start. */
    public void allowWaits() {
        ending = false;
    }

    boolean isEnding() {
        return ending;
    }

    /** Waits for the answer; null when the time to wait was over. */
    @Nullable
    HeldLease await(PendingLease pending) throws InterruptedException {
        return await(pending, null);
    }

    /** The same, at most that long by the node's clock; null: as long as was asked for. */
    @Nullable
    HeldLease await(PendingLease pending, @Nullable Duration wait) throws InterruptedException {
        try {
            waits.add(pending);
            if (ending) { // since the request was made
                pending.endWait();
            }
            return wait == null ? pending.await() : pending.await(wait);
        } catch (Error withoutMemory) {
            pending.withdraw();
            throw withoutMemory;
        } finally {
            waits.remove(pending);
        }
    }

    /** Waits until one of them is granted; null when the time to wait was over. */
    @Nullable
    HeldLease awaitFirst(List<PendingLease> asked) throws InterruptedException {
        try {
            waits.addAll(asked);
            if (ending) { // since the requests were made
                asked.forEach(PendingLease::endWait);
            }
            return PendingLease.awaitFirst(asked);
        } catch (Error withoutMemory) {
            asked.forEach(PendingLease::withdraw);
            throw withoutMemory;
        } finally {
            asked.forEach(waits::remove);
        }
    }

    /** The map's reference to the lock of that key; null when there is none. */
    @Nullable
    LockReference reference(String key) {
        return byKey.get(key);
    }

    /** How many keys are in the map, with those of collected locks that have not been removed yet. */
    int size() {
        return byKey.size();
    }

    /**
     * Called before a thread waits for anything, and before it could throw with the mutex taken.
     *
     * @param leaseTime null: the default
     */
    void checkLeaseTime(String key, @Nullable Duration leaseTime) {
        if (leaseTime != null) {
            node.leaseTimes().check("The lease time of the lock at " + key, leaseTime);
        }
    }
}
