package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Reading;

/**
 * Notices when this node's wall clock was set: it leaves the monotonic clock. What goes unnoticed adds up to no more than twice
 * {@link TimeRules#unnoticedMicros} within the time that a comparison counts, which touches two windows at most: each is longer than that by any clock.
 */
final class OwnClock {

    private final TimeRules bound;
    private Reading windowStart;
    /** How far the wall clock was from where the monotonic clock has it, within the window. */
    private long lowest;

    private long highest;

    OwnClock(TimeRules bound, Reading now) {
        this.bound = bound;
        this.windowStart = now;
    }

    /** Whether it was set since the last call. */
    boolean wasSet(Reading now) {
        long elapsedNanos = windowStart.moment().nanosUntil(now.moment());
        long departure = now.wallMicros() - windowStart.wallMicros() - elapsedNanos / 1_000;
        lowest = Math.min(lowest, departure);
        highest = Math.max(highest, departure);
        boolean set = highest - lowest > allowedMicros(elapsedNanos);
        if (set || elapsedNanos >= bound.unansweredNanos()) {
            windowStart = now;
            lowest = 0;
            highest = 0;
        }
        return set;
    }

    /** While no step looked at the clock for that long, no peer was told of it, and what peers were told before has ceased to count. */
    private long allowedMicros(long elapsedNanos) {
        long unwatched = Math.max(0, elapsedNanos - bound.unansweredNanos());
        return bound.unnoticedMicros() + (long) (TimeRules.RATE * unwatched) / 1_000;
    }
}
