package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batches of extensions that proposers have sent, so that the next time the batch id stands for one. A batch never
 * changes; one that is not used any more is forgotten. Bounded, by proposer and over all: beyond that what was used longest ago is
 * forgotten, and where a node has no room left, its next list is not remembered. A proposer that names a forgotten batch is told so, and
 * sends it again.
 */
final class KnownBatches {

    /** What a place counts for in the node's share. */
    private static final int BYTES = 16;
    /** What a list counts for beside its places. */
    private static final int OVERHEAD = 12;
    /** What a proposer counts for beside its lists. */
    private static final int OVERHEAD_OF_ONE = 32;
    /** A proposer may have lists of so much in all, and of twice what the acceptor remembers. */
    private static final int MOST_OF_ONE = 65_536;

    /** All together may have so much, and what proposers of one lease each need for all that the acceptor remembers. */
    private static final int MOST_OF_ALL = 1_048_576;

    private static final int MOST_FOR_A_RESOURCE = 48;

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
        private final Map<Long, Listed> lists = new LinkedHashMap<>(2, 0.75f, true);
        private long weight = OVERHEAD_OF_ONE;

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

    /** Who has sent it: no other changes it by naming the incarnation. */
    private record Sender(NodeId node, Incarnation incarnation) {}

    /** The one that was used longest ago first. */
    private final Map<Sender, OfOne> proposers = new LinkedHashMap<>(16, 0.75f, true);

    private final Share share;
    private long weight;

    /** @param share what all lists together may have, and those of each node */
    KnownBatches(Share share) {
        this.share = share;
    }

    /** @param resources how many the acceptor remembers: no proposer needs lists of many more */
    void put(NodeId from, Incarnation incarnation, long number, Listed listed, int resources) {
        Sender sender = new Sender(from, incarnation);
        OfOne proposer = proposers.get(sender);
        long before = proposer == null ? 0 : proposer.weight;
        long room = before + share.room(from) / BYTES;
        if (OVERHEAD_OF_ONE + listed.weight() > room) {
            return;
        }
        if (proposer == null) {
            proposer = new OfOne();
            proposers.put(sender, proposer);
        }
        proposer.put(number, listed, Math.min(room, MOST_OF_ONE + 2L * resources));
        count(from, proposer.weight - before);
        long most = MOST_OF_ALL + (long) MOST_FOR_A_RESOURCE * resources;
        Iterator<Map.Entry<Sender, OfOne>> oldest = proposers.entrySet().iterator();
        while (weight > most && proposers.size() > 1) {
            Map.Entry<Sender, OfOne> next = oldest.next();
            count(next.getKey().node(), -next.getValue().weight);
            oldest.remove();
        }
    }

    private void count(NodeId node, long more) {
        weight += more;
        if (more > 0) {
            share.take(node, more * BYTES);
        } else {
            share.giveBack(node, -more * BYTES);
        }
    }

    @Nullable
    Listed use(NodeId from, Incarnation incarnation, long number, Moment now) {
        OfOne proposer = proposers.get(new Sender(from, incarnation));
        Listed listed = proposer == null ? null : proposer.lists.get(number);
        if (listed != null) {
            listed.usedAt = now;
        }
        return listed;
    }

    /** Forgets what was last used before. */
    void forgetUnusedSince(Moment before) {
        proposers.entrySet().removeIf(each -> {
            OfOne proposer = each.getValue();
            long had = proposer.weight;
            boolean isOver = proposer.forgetUnusedSince(before);
            count(each.getKey().node(), (isOver ? 0 : proposer.weight) - had);
            return isOver;
        });
    }
}
