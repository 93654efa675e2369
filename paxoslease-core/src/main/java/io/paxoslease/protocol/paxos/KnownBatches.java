package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batches of extensions that proposers have sent, so that the next time the batch id stands for one. A batch never
 * changes; one that is not used any more is forgotten. Bounded, by proposer and in the number of proposers: beyond that the batch
 * that was used longest ago is forgotten. A proposer that names a forgotten batch is told so, and sends it again.
 */
final class KnownBatches {

    /** What a list counts for beside its places. */
    private static final int OVERHEAD = 8;
    /** A proposer may have lists of so much in all, and of twice what the acceptor remembers. */
    private static final int MOST_OF_ONE = 65_536;

    /** An incarnation is one life of a node: of few of them there are leases at one time. */
    private static final int MOST_PROPOSERS = 256;

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

        private int weight() {
            return OVERHEAD + places.length;
        }
    }

    /** The lists of one proposer by number, the one that was used longest ago first. */
    private static final class OfOne {
        private final Map<Long, Listed> lists = new LinkedHashMap<>(16, 0.75f, true);
        private long weight;

        void put(long number, Listed listed, long most) {
            Listed before = lists.put(number, listed);
            weight += listed.weight() - (before == null ? 0 : before.weight());
            Iterator<Listed> oldest = lists.values().iterator();
            while (weight > most && lists.size() > 1) {
                weight -= oldest.next().weight();
                oldest.remove();
            }
        }

        /** Answers whether none is left. */
        boolean forgetUnusedSince(Moment before) {
            Iterator<Listed> oldest = lists.values().iterator();
            while (oldest.hasNext()) {
                Listed next = oldest.next();
                if (!next.usedAt.isBefore(before)) {
                    return false; // and so are those after it
                }
                weight -= next.weight();
                oldest.remove();
            }
            return true;
        }
    }

    private final Map<Incarnation, OfOne> proposers = new LinkedHashMap<>(16, 0.75f, true);

    /** @param resources how many the acceptor remembers: no proposer needs lists of many more */
    void put(Incarnation incarnation, long number, Listed listed, int resources) {
        OfOne proposer = proposers.get(incarnation);
        if (proposer == null) {
            if (proposers.size() >= MOST_PROPOSERS) {
                Iterator<OfOne> oldest = proposers.values().iterator();
                oldest.next();
                oldest.remove();
            }
            proposer = new OfOne();
            proposers.put(incarnation, proposer);
        }
        proposer.put(number, listed, MOST_OF_ONE + 2L * resources);
    }

    @Nullable
    Listed use(Incarnation incarnation, long number, Moment now) {
        OfOne proposer = proposers.get(incarnation);
        Listed listed = proposer == null ? null : proposer.lists.get(number);
        if (listed != null) {
            listed.usedAt = now;
        }
        return listed;
    }

    /** Forgets what was last used before. */
    void forgetUnusedSince(Moment before) {
        proposers.values().removeIf(proposer -> proposer.forgetUnusedSince(before));
    }

    void clear() {
        proposers.clear();
    }
}
