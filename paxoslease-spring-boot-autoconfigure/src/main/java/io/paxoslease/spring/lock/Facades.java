package io.paxoslease.spring.lock;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One {@link CellLock} per key for as long as anybody refers to it. Weak references suffice: when nobody has the old
 * object any more, nobody can tell a new one from it. Thread-safe.
 */
final class Facades {

    /** How many that are collected one call clears away, so that none has to wait for the clearing of very many. */
    private static final int CLEARED_AT_ONCE = 16;

    private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<CellLock> collected = new ReferenceQueue<>();
    private final Function<String, CellLock> factory;

    Facades(Function<String, CellLock> factory) {
        this.factory = factory;
    }

    CellLock get(String key) {
        removeCollected(CLEARED_AT_ONCE);
        while (true) {
            Entry entry = entries.computeIfAbsent(key, absent -> new Entry(absent, factory.apply(absent), collected));
            CellLock lock = entry.get();
            if (lock != null) {
                return lock;
            }
            entries.remove(key, entry);
        }
    }

    /** How many keys are remembered, those included whose lock may be collected already. */
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

    /** The same without clearing anything away. */
    int sizeAsItIs() {
        return entries.size();
    }

    private static final class Entry extends WeakReference<CellLock> {

        private final String key;

        Entry(String key, @Nullable CellLock lock, ReferenceQueue<CellLock> queue) {
            super(lock, queue);
            this.key = key;
        }
    }
}
