package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.function.Supplier;

/** Draws ballot counters (P0): they strictly increase within an incarnation and resource. */
final class Counters {

    /** A counter further above the own wall clock than this is absurd, and not learnt. */
    private static final long ABSURD_MICROS = 24L * 60 * 60 * 1_000_000;

    private final Supplier<Incarnation> source;
    private final long guardMicros;
    private Incarnation incarnation;
    /** Every counter that a majority is known to have promised, and every one of a resource that is not tracked any more. */
    private long highest;
    /** Every counter that was ever drawn here, under whichever incarnation. */
    private long highestDrawn;
    /** What an earlier life has used, which no later incarnation may go below. */
    private long ofEarlierLife;
    /** What to add to the own wall clock to be where the acceptors are; never above zero. */
    private long offsetMicros;

    Counters(Supplier<Incarnation> source, Timing timing) {
        this.source = source;
        this.guardMicros = timing.aheadGuardNanos() / 1_000;
        this.incarnation = source.get();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    /** Every counter that was drawn, by this life and the ones before, as far as it was told of them. */
    long highestDrawn() {
        return Math.max(highestDrawn, ofEarlierLife);
    }

    void continueAbove(long counter) {
        ofEarlierLife = Math.max(ofEarlierLife, counter);
        highest = Math.max(highest, counter);
    }

    long next(ResourceState state, Reading now) {
        long wall = now.wallMicros() + offsetMicros;
        long next = Math.max(wall, Math.max(Math.max(state.lastCounter, state.learnt), highest) + 1);
        Invariants.check(next > state.lastCounter, "counters strictly increase", state.resource);
        state.lastCounter = next;
        highestDrawn = Math.max(highestDrawn, next);
        return next;
    }

    /** The resource is not tracked any more: its counters stay used. */
    void retire(ResourceState state) {
        if (state.incarnation.equals(incarnation)) {
            highest = Math.max(highest, state.lastCounter);
        }
    }

    /**
     * Learns from an attempt that failed what a majority would take: a counter above what they promised, and not too far
     * above their wall clocks. One acceptor whose wall clock is off teaches nothing, unless there is no majority without
     * it: others are silent. That is believed for this resource only, and not at the cost of a tenure.
     */
    void adjust(ResourceState state, Attempt attempt, Reading now) {
        long limit = attempt.refusals.limitOfMajority();
        if (limit != Long.MAX_VALUE) {
            adoptAcceptorsTime(state, limit, now);
        }
        long promised = attempt.refusals.promisedByMajority();
        if (promised - now.wallMicros() < ABSURD_MICROS) {
            highest = Math.max(highest, promised);
            if (promised > now.wallMicros() + offsetMicros + guardMicros) {
                offsetMicros = 0;
            }
        }
        long heard = attempt.refusals.promisedByThoseHeard(!now.moment().isBefore(attempt.timeout));
        if (state.tenure == null && heard - now.wallMicros() < ABSURD_MICROS) {
            state.learnt = Math.max(state.learnt, heard);
        }
    }

    /** The counter of a live lease, or of another waiting proposer, is above this one's: a hint, believed within bounds. */
    boolean learn(ResourceState state, long promised, boolean ofMajority, Reading now) {
        boolean absurd = ofMajority
                ? promised - now.wallMicros() >= ABSURD_MICROS
                : promised - (now.wallMicros() + offsetMicros) >= guardMicros;
        if (absurd) {
            return false;
        }
        state.learnt = Math.max(state.learnt, promised);
        return true;
    }

    /**
     * A majority refused the counter as too far above their wall clocks: from now on, use their time. A counter may go
     * down only under a new incarnation, so not during a tenure.
     */
    private void adoptAcceptorsTime(ResourceState state, long limit, Reading now) {
        long target = limit - guardMicros / 2;
        offsetMicros = Math.min(0, target - now.wallMicros());
        boolean mustGoDown = state.lastCounter >= target || state.learnt >= target || highest >= target;
        if (mustGoDown && state.tenure == null) {
            renewIncarnation();
            state.adopt(incarnation);
        }
    }

    /** Draws a new incarnation for every resource tracked from now on. */
    void renewIncarnation() {
        incarnation = source.get();
        highest = ofEarlierLife;
    }
}
