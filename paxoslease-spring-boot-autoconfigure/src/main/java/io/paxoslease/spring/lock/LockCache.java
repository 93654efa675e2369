package io.paxoslease.spring.lock;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One {@link LeaseLockAdapter} per key, for as long as the application references it. Weak references suffice: once the old
 * object is unreachable, a new one cannot be told from it. Thread-safe.
 */
final class LockCache {

    /** How many collected entries one call removes at most, so that no call takes long. */
    private static final int CLEARED_AT_ONCE = 16;

    private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<LeaseLockAdapter> collected = new ReferenceQueue<>();
    private final Function<String, LeaseLockAdapter> factory;

    LockCache(Function<String, LeaseLockAdapter> factory) {
        this.factory = factory;
    }

    LeaseLockAdapter get(String key) {
        removeCollected(CLEARED_AT_ONCE);
        while (true) {
            Entry entry = entries.computeIfAbsent(key, absent -> new Entry(absent, factory.apply(absent), collected));
            LeaseLockAdapter lock = entry.get();
            if (lock != null) {
                return lock;
            }
            entries.remove(key, entry);
        }
    }

    /** How many keys have an entry, after the entries of collected locks are removed. */
    int size() {
        removeCollected(Integer.MAX_VALUE);
        return entries.size();
    }

    private void removeCollected(int atMost) {
        for (int i = 0; i < atMost; i++) {
            Reference<?> each = collected.poll();
            if (each == null) {
                return;
            }
            if (each instanceof Entry entry) {
                entries.remove(entry.key, entry);
            }
        }
    }

    int rawSize() {
        return entries.size();
    }

    private static final class Entry extends WeakReference<LeaseLockAdapter> {

        private final String key;

        Entry(String key, @Nullable LeaseLockAdapter lock, ReferenceQueue<LeaseLockAdapter> queue) {
            super(lock, queue);
            this.key = key;
        }
    }
}
