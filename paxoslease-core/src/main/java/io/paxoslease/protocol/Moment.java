package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/**
 * One reading of the local monotonic clock, which means nothing on another node: only durations travel (section 3).
 *
 * @param nanos nanoseconds from an arbitrary origin; may be negative and may wrap
 */
public record Moment(long nanos) {

    /** The moment that many nanoseconds later. */
    public Moment plusNanos(long duration) {
        return new Moment(nanos + duration);
    }

    /** How many nanoseconds pass from this moment to the other; negative when the other came first. */
    public long nanosUntil(Moment other) {
        return other.nanos - nanos;
    }

    /** Whether this moment came before the other. Compared by subtraction, so the clock may wrap. */
    public boolean isBefore(Moment other) {
        return nanosUntil(other) > 0;
    }

    /** The later of the two. */
    public static Moment later(Moment a, Moment b) {
        return a.isBefore(b) ? b : a;
    }

    /** The earlier of the two. */
    public static Moment earlier(Moment a, Moment b) {
        return a.isBefore(b) ? a : b;
    }

    /** The earlier of those that are not null; null when both are. */
    @Nullable
    public static Moment earliest(@Nullable Moment a, @Nullable Moment b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return earlier(a, b);
    }
}
