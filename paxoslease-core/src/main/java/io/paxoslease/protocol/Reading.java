package io.paxoslease.protocol;

/**
 * The node's clocks, read once per handler after the frame was received (section 3).
 *
 * @param moment the monotonic clock: every duration and deadline
 * @param wallMicros the wall clock, microseconds since 1970: ballot counters, floors, and a second guard that can only
 *     shorten a holder's authority
 */
public record Reading(Moment moment, long wallMicros) {

    /** The reading that many nanoseconds later on both clocks. */
    public Reading plusNanos(long duration) {
        return new Reading(moment.plusNanos(duration), wallMicros + duration / 1_000);
    }
}
