package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When an instance stands by because its health group is down (S10): after ten seconds down. It comes back when the health group is up
 * and a minute has passed. The wait doubles with each time up to ten minutes, and is a minute again after ten minutes without one.
 */
final class Standby {

    private static final Duration DOWN = Duration.ofSeconds(10);
    private static final Duration FIRST = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private @Nullable Moment downSince;
    private @Nullable Moment since;
    private @Nullable Moment backAt;
    private Duration wait = FIRST;

    void health(boolean isUp, Moment now) {
        if (isUp) {
            downSince = null;
        } else if (downSince == null) {
            downSince = now;
        }
    }

    /** Whether the instance stands by now. */
    boolean isDue(Outlook outlook) {
        if (since == null) {
            begin(outlook);
        } else if (downSince == null && outlook.hasPassed(wait, since)) {
            since = null;
            backAt = outlook.now;
            wait = wait.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : wait.multipliedBy(2);
        }
        return since != null;
    }

    private void begin(Outlook outlook) {
        if (downSince != null && outlook.hasPassed(DOWN, downSince)) {
            since = outlook.now;
            if (backAt != null && backAt.nanosUntil(outlook.now) >= LONGEST.toNanos()) {
                wait = FIRST;
            }
        }
    }
}
