package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The clients that wait for a resource and for which its queue has no room, oldest first (section 8). They are told when to ask
 * again, and called before that when there is room. Advice, bounded, and each entry expires.
 */
final class OverflowQueue {

    static final int MAX_OF_ONE = 16_384;
    private static final int MAX = 65_536;
    /** What an entry takes at most: the first of a resource with a long name. */
    private static final int BYTES_OF_ONE = 1_152;
    /** So that all of one overflow ask at most fifty times a second. */
    static final long BETWEEN_ASKS = 20_000_000;
    /** Beyond what it was told, until an entry is taken for left behind. */
    private static final long GRACE = 1_000_000_000;

    private static final long BETWEEN_SWEEPS = 1_000_000_000;

    private record Place(long enqueuedCounter, NodeId node) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int first = Long.compare(enqueuedCounter, other.enqueuedCounter);
            return first == 0 ? node.compareTo(other.node) : first;
        }
    }

    private record Entry(Moment until, Waiters.Reach reach) {

        private boolean isOver(Moment now) {
            return reach.isOver() || !now.isBefore(until);
        }
    }

    private static final class OfOne {
        private final TreeMap<Place, Entry> inOrder = new TreeMap<>();
        private final Map<NodeId, Place> places = new HashMap<>();
        /** Gets a place in the queue as soon as it asks (Q14). */
        private @Nullable NodeId nominee;
    }

    private final Map<String, OfOne> byResource = new HashMap<>();
    private final int most;
    private int size;
    private @Nullable Moment nextSweep;

    /** @param bytes what all of it may have */
    OverflowQueue(long bytes) {
        this.most = (int) Math.min(MAX, bytes / BYTES_OF_ONE);
    }

    /**
     * Notes that the client waits, if there is room.
     *
     * @return when it is to ask again, in nanoseconds from now
     */
    long add(String resource, long enqueuedCounter, NodeId client, Waiters.Reach reach, Reading now) {
        remove(resource, client);
        OfOne overflow = byResource.get(resource);
        if (size >= most || (overflow != null && overflow.places.size() >= MAX_OF_ONE)) {
            sweep(now.moment());
            overflow = byResource.get(resource);
        }
        long again = BETWEEN_ASKS * (1 + (overflow == null ? 0 : overflow.places.size()));
        if (size >= most || (overflow != null && overflow.places.size() >= MAX_OF_ONE)) {
            return again;
        }
        if (overflow == null) {
            overflow = new OfOne();
            byResource.put(resource, overflow);
        }
        Place place = new Place(enqueuedCounter, client);
        overflow.places.put(client, place);
        overflow.inOrder.put(place, new Entry(now.moment().plusNanos(2 * again + GRACE), reach));
        size++;
        return again;
    }

    /** Whether fewer than so many of those that wait are older. */
    boolean isAmongTheFirst(int count, String resource, long enqueuedCounter, NodeId client, Reading now) {
        OfOne overflow = byResource.get(resource);
        if (overflow == null) {
            return count > 0;
        }
        int older = 0;
        SortedMap<Place, Entry> before = overflow.inOrder.headMap(new Place(enqueuedCounter, client));
        Iterator<Map.Entry<Place, Entry>> each = before.entrySet().iterator();
        while (older < count && each.hasNext()) {
            Map.Entry<Place, Entry> next = each.next();
            if (next.getValue().isOver(now.moment())) {
                overflow.places.remove(next.getKey().node());
                each.remove();
                size--;
            } else if (!next.getKey().node().equals(client)) {
                older++;
            }
        }
        return older < count;
    }

    /** Removes and answers the oldest, at most so many. */
    List<NodeId> take(String resource, int count, Reading now) {
        OfOne overflow = byResource.get(resource);
        if (overflow == null) {
            return List.of();
        }
        List<NodeId> taken = new ArrayList<>(count);
        while (taken.size() < count && !overflow.inOrder.isEmpty()) {
            Map.Entry<Place, Entry> oldest = overflow.inOrder.pollFirstEntry();
            overflow.places.remove(oldest.getKey().node());
            size--;
            if (!oldest.getValue().isOver(now.moment())) {
                taken.add(oldest.getKey().node());
            }
        }
        if (overflow.inOrder.isEmpty()) {
            byResource.remove(resource);
        }
        return taken;
    }

    /** Q14: the holder has named the client. Answers whether it waits here. */
    boolean nominate(String resource, NodeId client) {
        OfOne overflow = byResource.get(resource);
        if (overflow == null || !overflow.places.containsKey(client)) {
            return false;
        }
        overflow.nominee = client;
        return true;
    }

    boolean isNominee(String resource, NodeId client) {
        OfOne overflow = byResource.get(resource);
        return overflow != null && client.equals(overflow.nominee);
    }

    /** Adds those that came last, at most so many. Drops those that are over, so that the next call does not meet them. */
    void addNewest(String resource, int most, Reading now, Collection<Candidate> to) {
        OfOne overflow = byResource.get(resource);
        if (overflow == null) {
            return;
        }
        int found = 0;
        Iterator<Map.Entry<Place, Entry>> each =
                overflow.inOrder.descendingMap().entrySet().iterator();
        while (found < most && each.hasNext()) {
            Map.Entry<Place, Entry> next = each.next();
            Place place = next.getKey();
            if (next.getValue().isOver(now.moment())) {
                overflow.places.remove(place.node());
                each.remove();
                size--;
            } else {
                to.add(new Candidate(place.node(), place.enqueuedCounter(), false));
                found++;
            }
        }
        if (overflow.inOrder.isEmpty()) {
            byResource.remove(resource);
        }
    }

    void remove(String resource, NodeId client) {
        OfOne overflow = byResource.isEmpty() ? null : byResource.get(resource);
        Place place = overflow == null ? null : overflow.places.remove(client);
        if (overflow != null && place != null) {
            overflow.inOrder.remove(place);
            size--;
            if (overflow.inOrder.isEmpty()) {
                byResource.remove(resource);
            }
        }
    }

    /** Forgets those that are gone, or have not asked again; at most once a second, as it looks at all. */
    void sweep(Moment now) {
        if (nextSweep != null && now.isBefore(nextSweep)) {
            return;
        }
        nextSweep = now.plusNanos(BETWEEN_SWEEPS);
        byResource.values().removeIf(overflow -> {
            overflow.inOrder.entrySet().removeIf(each -> {
                boolean over = each.getValue().isOver(now);
                if (over) {
                    overflow.places.remove(each.getKey().node());
                    size--;
                }
                return over;
            });
            return overflow.inOrder.isEmpty();
        });
    }

    /** How many names are remembered, those included that wait no more. */
    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        byResource.clear();
        size = 0;
    }
}
