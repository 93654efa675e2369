package io.paxoslease.exploration;

/** A set of fingerprints. */
public final class LongSet {

    private long[] slots = new long[1 << 16];
    private boolean hasZero;
    private int size;

    /** Spreads a number over all bits, for fingerprints. */
    public static long mix(long z) {
        long y = ((z + 0x9E3779B97F4A7C15L) ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        y = (y ^ (y >>> 27)) * 0x94D049BB133111EBL;
        return y ^ (y >>> 31);
    }

    /** Answers whether it was new. */
    public boolean add(long value) {
        if (value == 0) {
            boolean isNew = !hasZero;
            hasZero = true;
            size += isNew ? 1 : 0;
            return isNew;
        }
        if (2 * size > slots.length) {
            grow();
        }
        boolean isNew = put(slots, value);
        size += isNew ? 1 : 0;
        return isNew;
    }

    public int size() {
        return size;
    }

    private void grow() {
        long[] larger = new long[slots.length * 2];
        for (long value : slots) {
            if (value != 0) {
                put(larger, value);
            }
        }
        slots = larger;
    }

    private static boolean put(long[] slots, long value) {
        int i = (int) (value >>> 20) & (slots.length - 1);
        while (slots[i] != 0) {
            if (slots[i] == value) {
                return false;
            }
            i = (i + 1) & (slots.length - 1);
        }
        slots[i] = value;
        return true;
    }
}
