package io.paxoslease.election;

import io.paxoslease.PaxosLeaseOptions;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a node contests a role. Immutable. */
public final class ElectionOptions {

    /** The default of {@link Builder#coolDown(Duration)}. */
    public static final Duration DEFAULT_COOL_DOWN = Duration.ofSeconds(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final @Nullable Duration leaseTime;
    private final Duration coolDown;
    private final @Nullable Duration reportEvery;

    private ElectionOptions(Builder builder) {
        this.leaseTime = builder.leaseTime;
        this.coolDown = builder.coolDown;
        this.reportEvery = builder.reportEvery;
    }

    /** The node's lease time, a cool-down of a second, no reports. */
    public static ElectionOptions defaults() {
        return builder().build();
    }

    /** Starts with the {@linkplain #defaults() defaults}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return builder().leaseTime(leaseTime).coolDown(coolDown).reportEvery(reportEvery);
    }

    /** The longest time for which no other node can lead after this node crashes as the leader; null: the node's lease time. */
    public @Nullable Duration leaseTime() {
        return leaseTime;
    }

    /** How long this node does not contest the role after it has resigned. */
    public Duration coolDown() {
        return coolDown;
    }

    /** How long to wait for the lease before each call of {@link LeaderCandidate#onNotGranted()}; null: it is not called. */
    public @Nullable Duration reportEvery() {
        return reportEvery;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ElectionOptions that
                && Objects.equals(leaseTime, that.leaseTime)
                && coolDown.equals(that.coolDown)
                && Objects.equals(reportEvery, that.reportEvery);
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseTime, coolDown, reportEvery);
    }

    @Override
    public String toString() {
        return "ElectionOptions[leaseTime=%s, coolDown=%s, reportEvery=%s]".formatted(leaseTime, coolDown, reportEvery);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private @Nullable Duration leaseTime;
        private Duration coolDown = DEFAULT_COOL_DOWN;
        private @Nullable Duration reportEvery;

        private Builder() {}

        /**
         * The longest time for which no other node can lead after this node crashes as the leader, at most the cell's maximum lease time.
         * Default, or null: the node's, from {@link PaxosLeaseOptions.Builder#leaseTime(Duration)}.
         */
        public Builder leaseTime(@Nullable Duration time) {
            this.leaseTime = time;
            return this;
        }

        /**
         * How long this node does not contest the role after it has resigned, because another node should win. Also applies after a failure of
         * the candidate, then at least two seconds, four after the next failure, and so on up to thirty. Default: a second.
         */
        public Builder coolDown(Duration time) {
            this.coolDown = Objects.requireNonNull(time, "coolDown");
            return this;
        }

        /** How long to wait for the lease before each call of {@link LeaderCandidate#onNotGranted()}. Default, or null: it is not called. */
        public Builder reportEvery(@Nullable Duration time) {
            this.reportEvery = time;
            return this;
        }

        /**
         * Checks the options.
         *
         * @throws IllegalArgumentException when the lease time is not positive, the cool-down is negative or above a day, or reports are less
         *     than a millisecond apart
         */
        public ElectionOptions build() {
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
            return new ElectionOptions(this);
        }
    }
}
