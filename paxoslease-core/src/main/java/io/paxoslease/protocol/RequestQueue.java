package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one node's users for one resource, in the order in which they came. What is done at every step costs the same
 * however many wait.
 */
public final class RequestQueue {

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

    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The one whose turn it is; null when there is none. */
    @Nullable
    public AcquireRequest peek() {
        return queue.peek();
    }

    public AcquireRequest getFirst() {
        return queue.getFirst();
    }

    public AcquireRequest getLast() {
        return queue.getLast();
    }

    void add(AcquireRequest request) {
        queue.add(request);
        askingOnce += request.waitMode() == WaitMode.TRY_ONCE ? 1 : 0;
        if (request.giveUpAt() != null) {
            if (limited == null) {
                limited = new TreeSet<>(EARLIEST_LIMIT_FIRST);
            }
            limited.add(request);
        }
    }

    /** Removes and answers the one whose turn it is. */
    public AcquireRequest remove() {
        AcquireRequest first = queue.peek();
        if (first == null) {
            throw new NoSuchElementException("no request");
        }
        remove(first);
        return first;
    }

    /** Answers whether it was there. Quick for the first and for the last, whatever their number. */
    public boolean remove(AcquireRequest request) {
        boolean removed = request.equals(queue.peekLast()) ? queue.pollLast() != null : queue.remove(request);
        if (!removed) {
            return false;
        }
        askingOnce -= request.waitMode() == WaitMode.TRY_ONCE ? 1 : 0;
        if (limited != null && request.giveUpAt() != null) {
            limited.remove(request);
            limited = limited.isEmpty() ? null : limited;
        }
        return true;
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

    /** A copy of those that ask once, in order. */
    public List<AcquireRequest> askingOnce() {
        return askingOnce == 0
                ? List.of()
                : queue.stream()
                        .filter(request -> request.waitMode() == WaitMode.TRY_ONCE)
                        .toList();
    }

    /** Of all but the first, the one with the earliest limit; null when none has a limit. */
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
}
