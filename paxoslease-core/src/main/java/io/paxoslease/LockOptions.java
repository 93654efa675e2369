package io.paxoslease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a set of locks behaves.
 *
 * @param prefix put before every key to make the resource name, so that locks and roles of one name never meet
 * @param ttl the lease time of locks taken without one, not renewed; null: renewed automatically while held
 */
public record LockOptions(String prefix, @Nullable Duration ttl) {

    /** The prefix that the Spring lock registry uses. */
    public static final String DEFAULT_PREFIX = "lock:";

    /** Renewed automatically, with the default prefix. */
    public static LockOptions renewing() {
        return new LockOptions(DEFAULT_PREFIX, null);
    }

    /** Never renewed: each lock ends at the given time after it was taken. */
    public LockOptions withTtl(Duration time) {
        return new LockOptions(prefix, time);
    }
}
