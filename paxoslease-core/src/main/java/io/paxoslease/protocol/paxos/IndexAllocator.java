package io.paxoslease.protocol.paxos;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Numbers from zero on, in pages of {@value #PAGE}. The lowest free number is taken first, so that after a peak the last pages
 * become empty and can be given back.
 */
final class IndexAllocator {

    static final int PAGE_BITS = 12;
    static final int PAGE = 1 << PAGE_BITS;

    /** The numbers in use, by page; null where there are none. */
    private @Nullable BitSet[] used = new @Nullable BitSet[1];
    /** By page: no lower number of it is free. */
    private int[] lowest = new int[1];
    /** The pages without a free number. */
    private final BitSet full = new BitSet();

    private int end;

    static int pageOf(int place) {
        return place >>> PAGE_BITS;
    }

    static int at(int place) {
        return place & (PAGE - 1);
    }

    /** One more than the highest number that was used since its page was last empty. */
    int end() {
        return end;
    }

    int take() {
        int page = full.nextClearBit(0);
        if (page >= used.length) {
            used = Arrays.copyOf(used, page + 1);
            lowest = Arrays.copyOf(lowest, page + 1);
        }
        BitSet numbers = used[page];
        if (numbers == null) {
            numbers = new BitSet();
            used[page] = numbers;
            lowest[page] = 0;
        }
        int number = numbers.nextClearBit(lowest[page]);
        numbers.set(number);
        lowest[page] = numbers.nextClearBit(number);
        if (lowest[page] >= PAGE) {
            full.set(page);
        }
        int place = (page << PAGE_BITS) + number;
        end = Math.max(end, place + 1);
        return place;
    }

    /** Answers whether nothing of its page is in use any more; never of the first page, which stays. */
    boolean giveBack(int place) {
        int page = pageOf(place);
        BitSet numbers = used[page];
        if (numbers == null) {
            throw new IllegalStateException("place " + place + " is not in use");
        }
        numbers.clear(at(place));
        lowest[page] = Math.min(lowest[page], at(place));
        full.clear(page);
        if (page == 0 || !numbers.isEmpty()) {
            return false;
        }
        used[page] = null;
        if (page == used.length - 1) {
            shorten();
        }
        return true;
    }

    private void shorten() {
        int pages = used.length;
        while (pages > 1 && used[pages - 1] == null) {
            pages--;
        }
        used = Arrays.copyOf(used, pages);
        lowest = Arrays.copyOf(lowest, pages);
        end = Math.min(end, pages << PAGE_BITS);
    }
}
