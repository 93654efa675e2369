package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.Patience;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the users of one node want of one resource, in the order in which they asked. What is done at every step costs the same
 * however many wait.
 */
final class Requests {

    private static final Comparator<AcquireRequest> EARLIEST_LIMIT_FIRST = (one, other) -> {
        long later = limit(other).nanosUntil(limit(one));
        return later == 0 ? Long.compare(one.id(), other.id()) : Long.signum(later);
    };

    private final ArrayDeque<AcquireRequest> queue = new ArrayDeque<>(2);
    /** Those that wait for a limited time; null when there are none, as most leases have none. */
    private @Nullable TreeSet<AcquireRequest> limited;

    private int askingOnce;

    private static Moment limit(AcquireRequest request) {
        return Objects.requireNonNull(request.giveUpAt());
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The one whose turn it is; null when there is none. */
    @Nullable
    AcquireRequest peek() {
        return queue.peek();
    }

    AcquireRequest getFirst() {
        return queue.getFirst();
    }

    AcquireRequest getLast() {
        return queue.getLast();
    }

    void add(AcquireRequest request) {
        queue.add(request);
        askingOnce += request.patience() == Patience.ASK_ONCE ? 1 : 0;
        if (request.giveUpAt() != null) {
            if (limited == null) {
                limited = new TreeSet<>(EARLIEST_LIMIT_FIRST);
            }
            limited.add(request);
        }
    }

    /** Removes and answers the one whose turn it is. */
    AcquireRequest remove() {
        AcquireRequest first = queue.peek();
        if (first == null) {
            throw new NoSuchElementException("no request");
        }
        remove(first);
        return first;
    }

    /** Quick for the first and for the last, whatever their number. */
    void remove(AcquireRequest request) {
        boolean removed = request.equals(queue.peekLast()) ? queue.pollLast() != null : queue.remove(request);
        if (!removed) {
            return;
        }
        askingOnce -= request.patience() == Patience.ASK_ONCE ? 1 : 0;
        if (limited != null && request.giveUpAt() != null) {
            limited.remove(request);
            limited = limited.isEmpty() ? null : limited;
        }
    }

    /** The request with that number; null when there is none. */
    @Nullable
    AcquireRequest find(long id) {
        for (AcquireRequest request : queue) {
            if (request.id() == id) {
                return request;
            }
        }
        return null;
    }

    /** Those who asked once. */
    List<AcquireRequest> askingOnce() {
        return askingOnce == 0
                ? List.of()
                : queue.stream()
                        .filter(request -> request.patience() == Patience.ASK_ONCE)
                        .toList();
    }

    /** Of those whose turn it is not yet, the one with the earliest limit; null when none has a limit. */
    @Nullable
    AcquireRequest earliestOfTheRest() {
        if (limited == null) {
            return null;
        }
        Iterator<AcquireRequest> earliest = limited.iterator();
        AcquireRequest first = earliest.next();
        if (!first.equals(queue.peek())) {
            return first;
        }
        return earliest.hasNext() ? earliest.next() : null;
    }

    /** Those whose limit has come. */
    List<AcquireRequest> late(Moment now) {
        return limited == null || now.isBefore(limit(limited.first()))
                ? List.of()
                : limited.stream()
                        .takeWhile(request -> !now.isBefore(limit(request)))
                        .toList();
    }
}
