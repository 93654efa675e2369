package io.paxoslease.rivals;

import java.time.Duration;

/** Whether a product runs with its own default times, or with leases and sessions of other lengths. */
public enum Tuning {
    /** As it comes. */
    DEFAULT,
    /** Leases of one or two seconds, for a short fail-over. */
    TUNED,
    /** Ten seconds for all, and as little as possible for each of thousands of clients in one process. */
    CROWD;

    private static final Duration TEN = Duration.ofSeconds(10);

    /** How long leases or sessions last. */
    public Duration time(Duration byDefault, Duration tuned) {
        return switch (this) {
            case DEFAULT -> byDefault;
            case TUNED -> tuned;
            case CROWD -> TEN;
        };
    }
}
