package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;

/** The cell's time rules: what the clock bound and the longest lease make of a reading. Immutable. */
final class TimeRules {

    /** Wall clocks, and each against the monotonic clock of its machine, gain or lose less than this. */
    static final double RATE = 0.001;

    private static final long LONGEST_VALIDITY = 5_000_000_000L;
    private static final int VALIDITY_IN_BOUNDS = 15;
    private static final int AHEAD_SLOTS = 2;
    /** So many slots before a tenure's end a round has to be that releases it without a read. */
    private static final int RELEASE_SLOTS = 3;

    private static final long GRAIN_MICROS = 1_000;

    private final Timing timing;
    private final long boundMicros;
    private final long maxLeaseMicros;

    /** @param boundNanos epsilon, above two milliseconds */
    TimeRules(Timing timing, long boundNanos) {
        this.timing = timing;
        this.boundMicros = boundNanos / 1_000;
        this.maxLeaseMicros = (timing.maxLeaseNanos() + 999) / 1_000;
        if (boundMicros <= 2 * GRAIN_MICROS || boundMicros >= maxLeaseMicros) {
            throw new IllegalArgumentException(
                    "A clock bound is above 2 ms and below the longest lease, not " + boundNanos + " ns");
        }
    }

    /** Epsilon. */
    long micros() {
        return boundMicros;
    }

    /** How long a node that lost its memory, or whose clock was set, takes no part: what it has forgotten is over then. */
    long silenceNanos() {
        return timing.exclusionNanos(timing.maxLeaseNanos() + boundMicros * 1_000);
    }

    /** What is known to be that long ago by another's clock, by this node's own: at least so long ago. */
    long atLeastNanos(long nanosAgo) {
        return timing.leaseNanosWithin(nanosAgo);
    }

    /** V: how long a comparison of clocks counts. Short enough that in it a clock gains less than a 64th of the bound. */
    long validityNanos() {
        long nearlyConstant = boundMicros * 1_000 * VALIDITY_IN_BOUNDS;
        return Math.min(nearlyConstant, Math.min(timing.maxLeaseNanos(), LONGEST_VALIDITY));
    }

    /** How long a node whose clock may have been set answers no comparison: until all earlier ones have ceased to count. */
    long unansweredNanos() {
        return timing.exclusionNanos(validityNanos());
    }

    /**
     * How far the own wall clock may leave the monotonic one within V without counting as set: a 64th of the bound for its rate, as
     * much for readings of the two that are not of one instant, and the grain.
     */
    long unnoticedMicros() {
        return boundMicros / 32 + GRAIN_MICROS;
    }

    /** How far within the bound a clock has to be that was out of it: what is read goes up and down by a grain, and is known less well as it ages. */
    long returnMicros() {
        return Math.min(2 * GRAIN_MICROS, boundMicros / 64);
    }

    /** How far from its real place a clock may have been when it was asked: its grain, and two windows of what goes unnoticed. */
    long comparisonErrorMicros() {
        return GRAIN_MICROS + 2 * unnoticedMicros();
    }

    long slot(Reading now) {
        return slot(now.wallMicros());
    }

    private long slot(long wallMicros) {
        return Math.max(1, wallMicros / boundMicros);
    }

    /** Rounds below it are refused, so that those who promised against them may forget it. */
    long horizonSlot(Reading now) {
        return slot(now) - (maxLeaseMicros / boundMicros + 3);
    }

    /**
     * After a silence, rounds below it are refused: every one that was promised, before what was promised was forgotten, and every
     * one in which a tenure may have been released without a read that was forgotten, too. The former were at most two slots
     * ahead of a clock that has gone on by the silence since, less the bound; the latter end {@link #RELEASE_SLOTS} before an
     * end that is no more than one slot away.
     */
    long slotAfterSilence(Reading now) {
        return slot(now) + Math.max(2 - RELEASE_SLOTS, 4 - maxLeaseMicros / boundMicros);
    }

    /** Whether a node that takes the lease when it has ended, or when that is forgotten, does so in a later slot. */
    boolean isWellBeforeEnd(Round round, long endMicros) {
        return round.slot() + RELEASE_SLOTS <= slot(endMicros);
    }

    long horizonNanos() {
        return (maxLeaseMicros + 5 * boundMicros) * 1_000;
    }

    boolean isTooFarAhead(Round round, Reading now) {
        return round.slot() > slot(now) + AHEAD_SLOTS;
    }

    /** No node within the bound writes such a lease, or such a token: it is its wall clock, or a little above an earlier one. */
    boolean isAbsurd(Value value, Reading now) {
        long latest = now.wallMicros() + maxLeaseMicros + boundMicros;
        return value.endMicros() > latest || value.token() > latest;
    }

    /** Whether its owner cannot believe in it any more, by whatever clock within the bound. */
    boolean isOver(Value value, Reading now) {
        return now.wallMicros() >= freeAt(value);
    }

    /** What this node's wall clock shows when the owner's has certainly reached the end. */
    long freeAt(Value value) {
        return value.endMicros() + boundMicros;
    }

    /**
     * Whether it may be forgotten: the next tenure's token, at least its wall clock, is above it on every node; and rounds of the
     * time before the end, in one of which it may have been released without a read, are refused.
     */
    boolean isForgettable(Value value, Reading now, long lowestSlot) {
        return isOver(value, now)
                && value.token() + boundMicros < now.wallMicros()
                && (value.isEmpty() || slot(value.endMicros()) < lowestSlot);
    }
}
