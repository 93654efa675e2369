package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to tell people that this node's wall clock is out of bounds, or within them again. Not while all nodes are starting,
 * and few clocks are compared. What is told is that the clock is out of bounds or was set: and once more, when it turns out
 * how far it is off.
 */
final class ClockAlarm {

    private boolean wasSet;
    /** That it was set has been told, or is over. */
    private boolean setTold;
    /** Whether it was last told that the clock is out of bounds. */
    private boolean outOfBoundsTold;
    /** And by whose clock. */
    private boolean named;
    /** Before it, a clock that was not compared yet is no reason to tell anything. */
    private Moment startsAt;

    ClockAlarm(Moment startsAt) {
        this.startsAt = startsAt;
    }

    void startsAt(Moment at) {
        startsAt = at;
    }

    void clockWasSet() {
        wasSet = true;
        setTold = false;
    }

    /** The node takes part again. */
    void reset() {
        wasSet = false;
    }

    /** Whether the node is silent because its clock was set. */
    boolean wasSet() {
        return wasSet;
    }

    /** What to tell; null: nothing. */
    @Nullable
    Effect news(boolean inBounds, Clocks clocks, Reading now) {
        if (inBounds ? !outOfBoundsTold : named || now.moment().isBefore(startsAt)) {
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
}
