package io.paxoslease.protocol.paxos;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Resource names in as many bytes as they have: names of one length lie side by side in arrays that never move, and the place
 * of one that is forgotten is used again. A page without names is given back.
 */
final class Names {

    private static final int FIRST = 4;
    private static final byte[] NOTHING = {};

    /** The names of one length. */
    private static final class Pool {
        private final int length;
        /** Empty where no name is; the first stays. */
        private byte[][] pages;

        private final Places places = new Places();

        Pool(int length) {
            this.length = length;
            this.pages = new byte[][] {new byte[FIRST * length]};
        }

        int add(byte[] name) {
            int place = places.take();
            byte[] page = pageFor(place);
            int offset = offset(place);
            for (int i = 0; i < length; i++) {
                page[offset + i] = name[i];
            }
            return place;
        }

        private byte[] pageFor(int place) {
            int number = Places.pageOf(place);
            if (number >= pages.length) {
                pages = Arrays.copyOf(pages, number + 1);
                pages[number] = NOTHING;
            }
            byte[] page = pages[number];
            if (page.length == 0) {
                page = new byte[Places.PAGE * length];
            } else if (offset(place) >= page.length) { // only the first page grows
                page = Arrays.copyOf(page, Math.min(Places.PAGE * length, 2 * page.length));
            }
            pages[number] = page;
            return page;
        }

        void remove(int place) {
            if (places.giveBack(place)) {
                pages[Places.pageOf(place)] = NOTHING;
            }
        }

        byte[] page(int place) {
            return pages[Places.pageOf(place)];
        }

        private int offset(int place) {
            return Places.at(place) * length;
        }
    }

    private final @Nullable Pool[] pools = new @Nullable Pool[256];
    private final long seed;

    /** @param seed not known outside, so that no outsider can choose names that share a hash */
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
        return Arrays.equals(pool.page(place), offset, offset + length, name, 0, length);
    }

    String at(int length, int place) {
        Pool pool = pool(length);
        return new String(pool.page(place), pool.offset(place), length, StandardCharsets.UTF_8);
    }

    int hashAt(int length, int place) {
        Pool pool = pool(length);
        return hash(pool.page(place), pool.offset(place), length);
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
