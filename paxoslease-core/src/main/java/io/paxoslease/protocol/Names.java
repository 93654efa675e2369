package io.paxoslease.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Resource names in as many bytes as they have: names of one length lie side by side in arrays that never move, and the place
 * of one that is forgotten is used again.
 */
final class Names {

    private static final int PAGE_BITS = 12;
    private static final int PAGE = 1 << PAGE_BITS;
    private static final int FIRST = 4;

    /** The names of one length. */
    private static final class Pool {
        private final int length;
        private byte[][] pages;
        private int used;
        private int[] free = new int[0];
        private int freeCount;

        Pool(int length) {
            this.length = length;
            this.pages = new byte[][] {new byte[FIRST * length]};
        }

        int add(byte[] name) {
            int place = freeCount > 0 ? free[--freeCount] : next();
            byte[] page = pages[place >>> PAGE_BITS];
            int offset = offset(place);
            for (int i = 0; i < length; i++) {
                page[offset + i] = name[i];
            }
            return place;
        }

        private int next() {
            int page = used >>> PAGE_BITS;
            if (page == pages.length) {
                pages = Arrays.copyOf(pages, page + 1);
                pages[page] = new byte[PAGE * length];
            } else if (offset(used) == pages[page].length) { // only the first page grows
                pages[page] = Arrays.copyOf(pages[page], Math.min(PAGE * length, 2 * pages[page].length));
            }
            return used++;
        }

        void remove(int place) {
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, Math.max(FIRST, 2 * freeCount));
            }
            free[freeCount++] = place;
        }

        private int offset(int place) {
            return (place & (PAGE - 1)) * length;
        }
    }

    private final @Nullable Pool[] pools = new @Nullable Pool[256];
    private final long seed;

    /** @param seed not known outside, so that nobody can choose names that share a hash */
    Names(long seed) {
        this.seed = seed;
    }

    int add(byte[] name) {
        Pool pool = pools[name.length];
        if (pool == null) {
            pool = new Pool(name.length);
            pools[name.length] = pool;
        }
        return pool.add(name);
    }

    void remove(int length, int place) {
        pool(length).remove(place);
    }

    boolean isAt(int length, int place, byte[] name) {
        if (length != name.length) {
            return false;
        }
        Pool pool = pool(length);
        int offset = pool.offset(place);
        return Arrays.equals(pool.pages[place >>> PAGE_BITS], offset, offset + length, name, 0, length);
    }

    String at(int length, int place) {
        Pool pool = pool(length);
        return new String(pool.pages[place >>> PAGE_BITS], pool.offset(place), length, StandardCharsets.UTF_8);
    }

    int hashAt(int length, int place) {
        Pool pool = pool(length);
        return hash(pool.pages[place >>> PAGE_BITS], pool.offset(place), length);
    }

    int hash(byte[] name) {
        return hash(name, 0, name.length);
    }

    private int hash(byte[] bytes, int offset, int length) {
        long hash = seed;
        for (int i = offset; i < offset + length; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32);
    }

    private Pool pool(int length) {
        Pool pool = pools[length];
        if (pool == null) {
            throw new IllegalStateException("no name of " + length + " bytes is known");
        }
        return pool;
    }
}
