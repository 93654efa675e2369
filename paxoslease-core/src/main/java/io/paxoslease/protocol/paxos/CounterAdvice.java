package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;

/** Which counters acceptors are likely to take, as far as they have said. Advice: {@link Counters} has the rule. */
final class CounterAdvice {

    /** A counter further above the own wall clock than this is absurd, and not learnt. */
    private static final long ABSURD_MICROS = 24L * 60 * 60 * 1_000_000;

    private final Counters counters;
    private final long guardMicros;
    /** Every counter that a majority is known to have promised. */
    private long highestPromised;
    /** What to add to the own wall clock to be where the acceptors are; never above zero. */
    private long offsetMicros;

    CounterAdvice(Counters counters, Timing timing) {
        this.counters = counters;
        this.guardMicros = timing.aheadGuardNanos() / 1_000;
    }

    /** The next counter: the wall clock, unless acceptors ask for more. */
    long next(Claim claim, Reading now) {
        long wall = now.wallMicros() + offsetMicros;
        return counters.next(claim, Math.max(wall, Math.max(claim.learnt(), highestPromised) + 1));
    }

    /**
     * Learns from an attempt that failed what a majority would take: a counter above what they promised, and not too far
     * above their wall clocks. One acceptor whose wall clock is off teaches nothing, unless there is no majority without
     * it: others are silent. That is believed for this resource only, and not at the cost of a tenure.
     */
    void adjust(Claim claim, Attempt attempt, Reading now) {
        Refusals refusals = attempt.hints.refusals;
        long limit = refusals.limitOfMajority();
        if (limit != Long.MAX_VALUE) {
            adoptAcceptorsTime(claim, limit, now);
        }
        long promised = refusals.promisedByMajority();
        if (promised - now.wallMicros() < ABSURD_MICROS) {
            highestPromised = Math.max(highestPromised, promised);
            if (promised > now.wallMicros() + offsetMicros + guardMicros) {
                offsetMicros = 0;
            }
        }
        long heard = refusals.promisedByThoseHeard(!now.moment().isBefore(attempt.hints.timeout()));
        if (claim.tenure() == null && heard - now.wallMicros() < ABSURD_MICROS) {
            claim.learnt(heard);
        }
    }

    /** The counter of a live lease, or of another waiting proposer, is above this one's: a hint, believed within bounds. */
    boolean learn(Claim claim, long promised, boolean ofMajority, Reading now) {
        boolean absurd = ofMajority
                ? promised - now.wallMicros() >= ABSURD_MICROS
                : promised - (now.wallMicros() + offsetMicros) >= guardMicros;
        if (absurd) {
            return false;
        }
        claim.learnt(promised);
        return true;
    }

    /**
     * A majority refused the counter as too far above their wall clocks: from now on, use their time. A counter may go
     * down only under a new incarnation, so not during a tenure.
     */
    private void adoptAcceptorsTime(Claim claim, long limit, Reading now) {
        long target = limit - guardMicros / 2;
        offsetMicros = Math.min(0, target - now.wallMicros());
        boolean mustGoDown = claim.lastCounter >= target
                || claim.learnt() >= target
                || Math.max(highestPromised, counters.highestRetired()) >= target;
        if (mustGoDown && claim.tenure() == null) {
            renewIncarnation();
            adopt(claim);
        }
    }

    /** Draws a new incarnation for every resource tracked from now on; what was learnt is forgotten with the old one. */
    void renewIncarnation() {
        counters.renewIncarnation();
        highestPromised = 0;
    }

    /** The resource goes on under the present incarnation. */
    void adopt(Claim claim) {
        counters.adopt(claim);
        claim.unlearnt();
    }
}
