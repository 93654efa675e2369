package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node may take part: not before all that it may have forgotten is over, not while its clock may be out of bounds, and not
 * beside another configuration.
 */
final class Participation {

    private final TimeRules bound;
    private final Clocks clocks;
    private final ConfigurationGuard guard;

    /** Before it, nothing is sent or answered that concerns a register; null: at no time. */
    private @Nullable Moment silentUntil;

    /** What was promised and stored before is forgotten, and outlived in silence when the node takes part. */
    private boolean hasForgotten;

    private boolean serving;
    /** Whether the clock was within the bound when it was last looked at: one that was not has to be a little further within. */
    private boolean inBounds;
    /** Whether the node is silent because its clock was set. */
    private boolean wasSet;
    /** That it was set has been told, or is over. */
    private boolean setTold;
    /** Whether it was last told that the clock is out of bounds. */
    private boolean outOfBoundsTold;
    /** And by whose clock. */
    private boolean named;
    /** Before it, a clock that was not compared yet is no reason to tell anything: nodes start, and few are compared. */
    private Moment alarmsFrom;

    Participation(TimeRules bound, Clocks clocks, ConfigurationGuard guard, @Nullable Moment silentUntil, Reading now) {
        this.bound = bound;
        this.clocks = clocks;
        this.guard = guard;
        this.silentUntil = silentUntil;
        this.hasForgotten = silentUntil != null;
        Moment compared = now.moment().plusNanos(bound.validityNanos());
        this.alarmsFrom = silentUntil == null ? compared : Moment.later(compared, silentUntil);
    }

    /** Whether the node takes part, as was last decided. */
    boolean isServing() {
        return serving;
    }

    boolean isPossible(Reading now) {
        inBounds = isInBounds(now);
        if (!isSilent(now)) {
            silentUntil = null;
        }
        boolean besideAnother = guard.isSilent(now.moment());
        return inBounds && silentUntil == null && !besideAnother;
    }

    /** Answers whether what was promised and stored before is forgotten. */
    boolean begin(Reading now) {
        wasSet = false;
        serving = true;
        guard.serve(now.moment());
        boolean forgotten = hasForgotten;
        hasForgotten = false;
        return forgotten;
    }

    void end(Reading now) {
        serving = false;
        alarmsFrom = now.moment();
    }

    /** What the node remembers is forgotten, and outlived in silence. */
    void silence(Reading now) {
        hasForgotten = true;
        silentUntil = now.moment().plusNanos(bound.silenceNanos());
        guard.restart(now.moment());
    }

    /** Whether the node has taken part since it lost its memory. */
    boolean hasBegun() {
        return !hasForgotten;
    }

    /** What another process may have stored as this node until then is outlived in silence, too. Only before the node takes part. */
    void outlive(Moment answered) {
        Moment end = answered.plusNanos(bound.silenceNanos());
        silentUntil = silentUntil == null ? end : Moment.later(silentUntil, end);
        alarmsFrom = Moment.later(alarmsFrom, end);
    }

    /** Whether the clock was set since the last call: then nothing that was measured counts any more. */
    boolean clockWasSet(Reading now) {
        boolean set = clocks.wasSet(now);
        if (set) {
            wasSet = true;
            setTold = false;
        }
        return set;
    }

    /** Clocks are compared again, which takes a while. */
    void comparesAgain(Reading now) {
        alarmsFrom = now.moment().plusNanos(bound.validityNanos());
    }

    /**
     * What to tell people of the clock: that it is out of bounds or was set, once more when it turns out how far it is off, and that
     * it is within them again; null: nothing.
     */
    @Nullable
    Effect clockNews(Reading now) {
        inBounds = isInBounds(now);
        if (inBounds ? !outOfBoundsTold : named || now.moment().isBefore(alarmsFrom)) {
            return null;
        }
        PeerClock worst = inBounds ? null : clocks.worst(now);
        Effect news = null;
        if (inBounds || !outOfBoundsTold || worst != null) {
            boolean newlySet = wasSet && !setTold && !inBounds;
            setTold |= wasSet;
            news = new Effect.ClockBound(inBounds, newlySet, worst);
        }
        outOfBoundsTold = !inBounds;
        named = worst != null;
        return news;
    }

    /** Whether all that may have been forgotten is not over yet. */
    boolean isSilent(Reading now) {
        return silentUntil != null && now.moment().isBefore(silentUntil);
    }

    /** For people: the clock is not blamed for a silence that has another reason. */
    boolean isClockInBounds(Reading now) {
        return isSilent(now) ? !wasSet : isInBounds(now);
    }

    private boolean isInBounds(Reading now) {
        return clocks.areWithinBound(now, inBounds ? 0 : bound.returnMicros());
    }

    /** How long the silence lasts yet, as far as is known. */
    long silentNanos(Reading now) {
        long own = silentUntil == null ? 0 : Math.max(0, now.moment().nanosUntil(silentUntil));
        return Math.max(own, guard.remainingNanos(now.moment()));
    }

    /** When the node may take part by the passing of time alone; null: it does, or that cannot be told. */
    @Nullable
    Moment nextDeadline() {
        return serving ? null : silentUntil;
    }
}
