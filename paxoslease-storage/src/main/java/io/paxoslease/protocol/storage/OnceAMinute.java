package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Moment;
import org.jspecify.annotations.Nullable;

/** Lets something be told that is true again and again, once a minute. */
final class OnceAMinute {

    static final long NANOS = 60_000_000_000L;

    private @Nullable Moment last;

    /** Whether it is to be told now, which begins the next minute. */
    boolean isDue(Moment now) {
        if (last != null && last.nanosUntil(now) < NANOS) {
            return false;
        }
        last = now;
        return true;
    }
}
