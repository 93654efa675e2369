package io.paxoslease.exploration;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values by numbers that are not negative: millions of them, without an object for each number. */
final class LongTable<V> {

    private static final long NONE = -1;

    private long[] keys = emptyKeys(1 << 12);
    private @Nullable Object[] values = new Object[keys.length];
    private int size;

    @SuppressWarnings("unchecked")
    @Nullable
    V get(long key) {
        return (V) values[place(keys, key)];
    }

    void put(long key, V value) {
        if (2 * size >= keys.length) {
            grow();
        }
        int place = place(keys, key);
        size += keys[place] == NONE ? 1 : 0;
        keys[place] = key;
        values[place] = value;
    }

    private void grow() {
        long[] larger = emptyKeys(keys.length * 2);
        @Nullable Object[] moved = new Object[larger.length];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != NONE) {
                int place = place(larger, keys[i]);
                larger[place] = keys[i];
                moved[place] = values[i];
            }
        }
        keys = larger;
        values = moved;
    }

    private static long[] emptyKeys(int length) {
        long[] keys = new long[length];
        Arrays.fill(keys, NONE);
        return keys;
    }

    /** Where the number is, or would be. */
    private static int place(long[] keys, long key) {
        int place = (int) (LongSet.mix(key) >>> 32) & (keys.length - 1);
        while (keys[place] != key && keys[place] != NONE) {
            place = (place + 1) & (keys.length - 1);
        }
        return place;
    }
}
