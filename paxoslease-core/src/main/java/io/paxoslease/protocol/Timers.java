package io.paxoslease.protocol;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** What is due when. Something that is set anew leaves its old entry behind, which is skipped. */
public final class Timers {

    private static final int FEW = 64;

    private record Entry(Moment at, long sequence, Timed timed) implements Comparable<Entry> {

        /** The earlier one first; of one moment, the one that was set first. */
        @Override
        public int compareTo(Entry other) {
            long later = other.at.nanosUntil(at);
            return later == 0 ? Long.compare(sequence, other.sequence) : Long.signum(later);
        }
    }

    private final PriorityQueue<Entry> queue = new PriorityQueue<>();
    private long sequence;
    private int live;

    /** Wakes it at that moment and at no other; null: not at all. */
    public void set(Timed timed, @Nullable Moment at) {
        live += (at == null ? 0 : 1) - (timed.wakeAt == null ? 0 : 1);
        Moment before = timed.wakeAt;
        timed.wakeAt = at;
        if (at != null && !at.equals(before)) {
            queue.add(new Entry(at, sequence++, timed));
            if (queue.size() > 2 * live + FEW) {
                queue.removeIf(Timers::isStale);
            }
        }
    }

    /** Removes and answers something that is due; null when nothing is. */
    @Nullable
    public Timed poll(Moment now) {
        dropStale();
        Entry head = queue.peek();
        if (head == null || now.isBefore(head.at())) {
            return null;
        }
        queue.remove();
        head.timed().wakeAt = null;
        live--;
        return head.timed();
    }

    @Nullable
    public Moment next() {
        dropStale();
        Entry head = queue.peek();
        return head == null ? null : head.at();
    }

    private void dropStale() {
        Entry head = queue.peek();
        while (head != null && isStale(head)) {
            queue.remove();
            head = queue.peek();
        }
    }

    private static boolean isStale(Entry entry) {
        return !entry.at().equals(entry.timed().wakeAt);
    }

    public int size() {
        return queue.size();
    }
}
