package io.paxoslease.protocol;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** When which claim has something to do. A claim that is set anew leaves its old entry behind, which is skipped. */
final class Timers {

    private static final int FEW = 64;

    private record Entry(Moment at, long sequence, Claim claim) {}

    private final PriorityQueue<Entry> queue =
            new PriorityQueue<>(Comparator.<Entry, Moment>comparing(Entry::at, (a, b) -> Long.signum(b.nanosUntil(a)))
                    .thenComparingLong(Entry::sequence));
    private long sequence;
    private int live;

    void set(Claim claim, @Nullable Moment at) {
        live += (at == null ? 0 : 1) - (claim.wakeAt == null ? 0 : 1);
        Moment before = claim.wakeAt;
        claim.wakeAt = at;
        if (at != null && !at.equals(before)) {
            queue.add(new Entry(at, sequence++, claim));
            if (queue.size() > 2 * live + FEW) {
                queue.removeIf(Timers::isStale);
            }
        }
    }

    /** Removes and answers a claim whose time has come; null when there is none. */
    @Nullable
    Claim poll(Moment now) {
        dropStale();
        Entry head = queue.peek();
        if (head == null || now.isBefore(head.at())) {
            return null;
        }
        queue.remove();
        head.claim().wakeAt = null;
        live--;
        return head.claim();
    }

    @Nullable
    Moment next() {
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
        return !entry.at().equals(entry.claim().wakeAt);
    }

    int size() {
        return queue.size();
    }
}
