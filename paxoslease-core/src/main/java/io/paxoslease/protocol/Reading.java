package io.paxoslease.protocol;

/**
 * The node's clocks, read once per handler after the frame was received (section 3).
 *
 * @param moment the monotonic clock: every duration and deadline
 * @param wallMicros the wall clock, microseconds since 1970: ballot counters, floors, and a second guard that can only
 *     shorten a holder's authority
 */
public record Reading(Moment moment, long wallMicros) {

    /** How much less than the time the wall clock may show: the system reads it in milliseconds. */
    private static final long WALL_GRAIN_MICROS = 1_000;

    /** Whether the wall clock may have reached what the other reading shows. */
    public boolean mayHaveReachedByWallClock(Reading other) {
        return wallMicros + WALL_GRAIN_MICROS >= other.wallMicros;
    }

    /** On each clock the earlier one. */
    public Reading earlierOfBoth(Reading other) {
        return equals(other)
                ? this
                : new Reading(Moment.earlier(moment, other.moment), Math.min(wallMicros, other.wallMicros));
    }

    /** The reading that many nanoseconds later on both clocks. */
    public Reading plusNanos(long duration) {
        return new Reading(moment.plusNanos(duration), wallMicros + duration / 1_000);
    }

    /**
     * How much time has passed at most until a later reading: what the clock that ran further shows. The monotonic clock stands still while a
     * hypervisor pauses the machine.
     */
    public long longestNanosUntil(Reading later) {
        return Math.max(moment.nanosUntil(later.moment), (later.wallMicros - wallMicros) * 1_000);
    }
}
