package io.paxoslease.protocol.paxos;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Resource names, in units of {@value #UNIT} bytes that lie side by side in arrays that never move. A longer name is a chain of them. The
 * units of one that is forgotten are used again, whatever its length was: so all of them never take more than the most that there were at
 * one time. A page without names is given back.
 */
final class NameArena {

    private static final int UNIT = 16;
    private static final int BYTES_OF_LINK = 4;
    private static final int FIRST = 4;
    private static final byte[] NOTHING = {};
    private static final int[] NO_LINKS = {};

    /** Empty where no name is; the first stays. */
    private byte[][] pages = {new byte[FIRST * UNIT]};
    /** Which unit comes next, by unit; empty for a page that has no unit with a next one. */
    private int[][] links = {NO_LINKS};

    private final IndexAllocator places = new IndexAllocator();
    private final long seed;

    /** @param seed not known outside, so that no outsider can choose names that share a hash */
    NameArena(long seed) {
        this.seed = seed;
    }

    /** What a name of that length takes at most. */
    static int bytes(int length) {
        return Math.max(1, (length + UNIT - 1) / UNIT) * (UNIT + BYTES_OF_LINK);
    }

    int add(byte[] name) {
        int first = addUnit(name, 0);
        int last = first;
        for (int offset = UNIT; offset < name.length; offset += UNIT) {
            int next = addUnit(name, offset);
            link(last, next);
            last = next;
        }
        return first;
    }

    private int addUnit(byte[] name, int offset) {
        int unit = places.take();
        byte[] page = pageFor(unit);
        copy(name, offset, page, at(unit), Math.min(UNIT, name.length - offset));
        return unit;
    }

    private byte[] pageFor(int unit) {
        int number = IndexAllocator.pageOf(unit);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number + 1);
            links = Arrays.copyOf(links, number + 1);
            pages[number] = NOTHING;
            links[number] = NO_LINKS;
        }
        byte[] page = pages[number];
        if (page.length == 0) {
            page = new byte[IndexAllocator.PAGE * UNIT];
        } else if (at(unit) >= page.length) { // only the first page grows
            page = Arrays.copyOf(page, Math.min(IndexAllocator.PAGE * UNIT, 2 * page.length));
        }
        pages[number] = page;
        return page;
    }

    private void link(int unit, int next) {
        int number = IndexAllocator.pageOf(unit);
        int units = pages[number].length / UNIT;
        int[] ofPage = links[number];
        if (ofPage.length < units) {
            ofPage = Arrays.copyOf(ofPage, units);
            links[number] = ofPage;
        }
        ofPage[IndexAllocator.at(unit)] = next;
    }

    private int next(int unit) {
        return links[IndexAllocator.pageOf(unit)][IndexAllocator.at(unit)];
    }

    void remove(int length, int place) {
        int unit = place;
        for (int left = length; left > UNIT; left -= UNIT) {
            int next = next(unit);
            giveBack(unit);
            unit = next;
        }
        giveBack(unit);
    }

    private void giveBack(int unit) {
        if (places.giveBack(unit)) {
            pages[IndexAllocator.pageOf(unit)] = NOTHING;
            links[IndexAllocator.pageOf(unit)] = NO_LINKS;
        }
    }

    boolean isAt(int length, int place, byte[] name) {
        if (length != name.length) {
            return false;
        }
        int unit = place;
        int offset = 0;
        while (length - offset > UNIT) {
            if (!isAt(unit, name, offset, UNIT)) {
                return false;
            }
            unit = next(unit);
            offset += UNIT;
        }
        return isAt(unit, name, offset, length - offset);
    }

    private boolean isAt(int unit, byte[] name, int offset, int count) {
        int at = at(unit);
        return Arrays.equals(pages[IndexAllocator.pageOf(unit)], at, at + count, name, offset, offset + count);
    }

    String at(int length, int place) {
        if (length <= UNIT) {
            return new String(pages[IndexAllocator.pageOf(place)], at(place), length, StandardCharsets.UTF_8);
        }
        byte[] name = new byte[length];
        int unit = place;
        int offset = 0;
        while (length - offset > UNIT) {
            copy(pages[IndexAllocator.pageOf(unit)], at(unit), name, offset, UNIT);
            unit = next(unit);
            offset += UNIT;
        }
        copy(pages[IndexAllocator.pageOf(unit)], at(unit), name, offset, length - offset);
        return new String(name, StandardCharsets.UTF_8);
    }

    /** A unit is short: a loop is as fast as the system's copy. */
    private static void copy(byte[] from, int first, byte[] to, int at, int count) {
        for (int i = 0; i < count; i++) {
            to[at + i] = from[first + i];
        }
    }

    int hashAt(int length, int place) {
        long hash = seed;
        int unit = place;
        int left = length;
        while (left > UNIT) {
            hash = mix(hash, pages[IndexAllocator.pageOf(unit)], at(unit), UNIT);
            unit = next(unit);
            left -= UNIT;
        }
        return folded(mix(hash, pages[IndexAllocator.pageOf(unit)], at(unit), left));
    }

    int hash(byte[] name) {
        return folded(mix(seed, name, 0, name.length));
    }

    private static long mix(long before, byte[] bytes, int offset, int length) {
        long hash = before;
        for (int i = offset; i < offset + length; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001B3L;
        }
        return hash;
    }

    private static int folded(long hash) {
        return (int) (((hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L) >>> 32);
    }

    private static int at(int unit) {
        return IndexAllocator.at(unit) * UNIT;
    }
}
