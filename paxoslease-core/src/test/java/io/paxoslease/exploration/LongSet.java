package io.paxoslease.exploration;

/** A set of fingerprints. */
public final class LongSet {

    private long[] slots = new long[1 << 16];
    private boolean hasZero;
    private int size;

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
