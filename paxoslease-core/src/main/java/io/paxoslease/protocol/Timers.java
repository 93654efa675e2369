package io.paxoslease.protocol;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** When which claim has something to do. A claim that is set anew leaves its old entry behind, which is skipped. */
final class Timers {

    private record Entry(Moment at, long sequence, Claim claim) {}

    private final PriorityQueue<Entry> queue =
            new PriorityQueue<>(Comparator.<Entry, Moment>comparing(Entry::at, (a, b) -> Long.signum(b.nanosUntil(a)))
                    .thenComparingLong(Entry::sequence));
    private long sequence;

    void set(Claim claim, @Nullable Moment at) {
        if (at != null && !at.equals(claim.wakeAt)) {
            queue.add(new Entry(at, sequence++, claim));
        }
        claim.wakeAt = at;
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
        while (head != null && !head.at().equals(head.claim().wakeAt)) {
            queue.remove();
            head = queue.peek();
        }
    }
}
