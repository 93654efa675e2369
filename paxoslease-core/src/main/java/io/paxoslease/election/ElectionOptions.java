package io.paxoslease.election;

import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a node contests a role.
 *
 * @param leaseTime the longest time for which no other node can lead after this node crashes as the leader; null: the node's default, from
 *     {@link PaxosLeaseOptions.Builder#leaseTime(Duration)}. At most the cell's maximum lease time
 * @param coolDown how long this node does not contest the role after it has resigned, so that another one wins; after a failure of
 *     the candidate as well, and then at least two seconds, four after the next failure, and so on up to thirty
 * @param reportEvery how long to wait for the lease before {@link LeaderCandidate#onNotGranted()} is called, and again
 *     after each further wait of that length; null: it is not called
 */
public record ElectionOptions(
        @Nullable Duration leaseTime,
        Duration coolDown,
        @Nullable Duration reportEvery) {

    /** The default of {@link #coolDown()}. */
    public static final Duration DEFAULT_COOL_DOWN = Duration.ofSeconds(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    public ElectionOptions {
        Objects.requireNonNull(coolDown, "coolDown");
        if (leaseTime != null && (leaseTime.isNegative() || leaseTime.isZero())) {
            throw new IllegalArgumentException("The lease time of a role must be positive, not " + leaseTime);
        }
        if (coolDown.isNegative() || coolDown.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "The cool-down of a role must be zero or more and at most a day, not " + coolDown);
        }
        if (reportEvery != null && reportEvery.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(
                    "The time between two reports of a role must be at least a millisecond, not " + reportEvery);
        }
    }

    /** The node's lease time, a cool-down of a second, no reports. */
    public static ElectionOptions defaults() {
        return new ElectionOptions(null, DEFAULT_COOL_DOWN, null);
    }

    /** The same with another lease time. */
    public ElectionOptions withLeaseTime(@Nullable Duration time) {
        return new ElectionOptions(time, coolDown, reportEvery);
    }

    /** The same with another cool-down. */
    public ElectionOptions withCoolDown(Duration time) {
        return new ElectionOptions(leaseTime, time, reportEvery);
    }

    /** The same with reports. */
    public ElectionOptions reportingEvery(@Nullable Duration time) {
        return new ElectionOptions(leaseTime, coolDown, time);
    }
}
