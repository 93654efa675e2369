package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A store of locks, as a database table is one: a row with its owner and its time to live. A row that has expired any
 * client may take; its owner extends it by taking it again. The calls of one owner can be made to hang.
 */
final class TtlStore {

    private record Row(String owner, long takenAt) {}

    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final long ttlNanos;
    private @Nullable Row row;
    private @Nullable String hanging;

    TtlStore(Duration ttl) {
        this.ttlNanos = ttl.toNanos();
    }

    synchronized boolean take(String owner) throws InterruptedException {
        enter(owner);
        long now = System.nanoTime();
        Row present = row;
        if (present != null && !present.owner().equals(owner) && now - present.takenAt() < ttlNanos) {
            return false;
        }
        row = new Row(owner, now);
        return true;
    }

    /** Whether the owner had it. */
    synchronized boolean drop(String owner) {
        Row present = row;
        boolean had = present != null && present.owner().equals(owner);
        if (had) {
            row = null;
        }
        return had;
    }

    private void enter(String owner) throws InterruptedException {
        calls.computeIfAbsent(owner, key -> new LongAdder()).increment();
        while (owner.equals(hanging)) {
            wait();
        }
    }

    /** From now on, the calls of that owner do not return. */
    synchronized void hang(String owner) {
        hanging = owner;
    }

    synchronized void letGo() {
        hanging = null;
        notifyAll();
    }

    /** The row is another's, as when it had expired and the other one took it. */
    synchronized void steal(String owner) {
        row = new Row(owner, System.nanoTime() + Duration.ofDays(1).toNanos());
    }

    /** Whose row it is, expired or not. */
    synchronized @Nullable String owner() {
        Row present = row;
        return present == null ? null : present.owner();
    }

    long callsOf(String owner) {
        LongAdder count = calls.get(owner);
        return count == null ? 0 : count.sum();
    }
}
