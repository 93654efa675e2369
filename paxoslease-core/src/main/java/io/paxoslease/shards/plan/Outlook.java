package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One look of a {@link Participation}: the time, what has been decided so far, and when to look again. */
final class Outlook {

    final Moment now;
    final List<Decision> decisions = new ArrayList<>();

    @Nullable
    Moment next;

    Outlook(Moment now) {
        this.now = now;
    }

    void decide(Decision decision) {
        decisions.add(decision);
    }

    /** Whether that moment has come. If not, the next look is no later. */
    boolean isReached(Moment when) {
        if (now.isBefore(when)) {
            next = Moment.earliest(next, when);
            return false;
        }
        return true;
    }

    /** Whether so much time has passed since then. If not, the next look is no later than that. */
    boolean hasPassed(Duration duration, Moment since) {
        return isReached(since.plusNanos(duration.toNanos()));
    }

    /** How long it is until so much time has passed. */
    Duration remaining(Duration duration, Moment since) {
        return Duration.ofNanos(Math.max(0, now.nanosUntil(since.plusNanos(duration.toNanos()))));
    }
}
