package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/** Limits a log line that others' messages can cause to one in a minute. Not thread-safe. */
public final class OncePerMinute {

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private @Nullable Moment last;

    /** Whether the line may be written now; if so, the minute begins. */
    public boolean isDue(Moment now) {
        boolean due = last == null || last.nanosUntil(now) > MINUTE_NANOS;
        if (due) {
            last = now;
        }
        return due;
    }
}
