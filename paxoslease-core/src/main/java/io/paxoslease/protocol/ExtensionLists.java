package io.paxoslease.protocol;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lists of extensions that proposers have sent, so that the next time the number of a list stands for it. A list never
 * changes; one that is not used any more is forgotten.
 */
final class ExtensionLists {

    private record Key(Incarnation incarnation, long number) {}

    /** The places of the resources, which hold while the generations are the same, and the lowest counters. */
    static final class Listed {
        final int[] places;
        final int[] generations;
        final long[] lowestCounters;
        private Moment usedAt;

        Listed(int size, Moment now) {
            this.places = new int[size];
            this.generations = new int[size];
            this.lowestCounters = new long[size];
            this.usedAt = now;
        }
    }

    private final Map<Key, Listed> lists = new HashMap<>();

    void put(Incarnation incarnation, long number, Listed listed) {
        lists.put(new Key(incarnation, number), listed);
    }

    @Nullable
    Listed use(Incarnation incarnation, long number, Moment now) {
        Listed listed = lists.get(new Key(incarnation, number));
        if (listed != null) {
            listed.usedAt = now;
        }
        return listed;
    }

    /** Forgets what was last used before. */
    void forgetUnusedSince(Moment before) {
        for (Iterator<Listed> i = lists.values().iterator(); i.hasNext(); ) {
            if (i.next().usedAt.isBefore(before)) {
                i.remove();
            }
        }
    }

    void clear() {
        lists.clear();
    }
}
