package io.paxoslease.flease;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a cell that runs Flease needs to know. Immutable; made by {@link #builder()}. */
public final class FleaseOptions implements AlgorithmOptions {

    /** The default of {@link Builder#clockBound}. */
    public static final Duration DEFAULT_CLOCK_BOUND = Duration.ofMillis(500);

    /** Less cannot be watched: clocks are read in milliseconds, and compared over a network. */
    public static final Duration MIN_CLOCK_BOUND = Duration.ofMillis(10);

    private final Duration clockBound;

    private FleaseOptions(Builder builder) {
        this.clockBound = Objects.requireNonNull(builder.clockBound, "clockBound");
        if (clockBound.compareTo(MIN_CLOCK_BOUND) < 0) {
            throw new InvalidOptionException(
                    "clockBound",
                    clockBound,
                    "must be at least %d ms: clocks cannot be compared more closely over a network; %d ms is right where NTP runs"
                            .formatted(MIN_CLOCK_BOUND.toMillis(), DEFAULT_CLOCK_BOUND.toMillis()));
        }
    }

    /** Starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return new Builder().clockBound(clockBound);
    }

    /** The most that the wall clocks of any two nodes may differ by. */
    public Duration clockBound() {
        return clockBound;
    }

    @Override
    public String algorithm() {
        return "flease";
    }

    @Override
    public boolean hasMembers() {
        return true;
    }

    @Override
    public @Nullable Duration defaultLeaseTime() {
        return null;
    }

    @Override
    public void check(Set<String> peers, boolean tls, Duration leaseTime, Duration maxLeaseTime, double clockDrift) {
        if (clockBound.compareTo(maxLeaseTime) >= 0) {
            throw new InvalidOptionException(
                    "clockBound",
                    clockBound,
                    "must be below the maximum lease time, %s: lower the bound, or raise maxLeaseTime on every node"
                            .formatted(maxLeaseTime));
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FleaseOptions that && clockBound.equals(that.clockBound);
    }

    @Override
    public int hashCode() {
        return clockBound.hashCode();
    }

    @Override
    public String toString() {
        return "FleaseOptions[clockBound=%s]".formatted(clockBound);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private Duration clockBound = DEFAULT_CLOCK_BOUND;

        private Builder() {}

        /**
         * Epsilon: the most that the wall clocks of any two nodes may differ by, the same on every node. It is watched while the nodes
         * run: a node whose clock is not known to be within it takes no part. Default 500 ms.
         */
        public Builder clockBound(Duration bound) {
            this.clockBound = bound;
            return this;
        }

        /**
         * Checks the options and makes them.
         *
         * @throws InvalidOptionException when the bound is below {@link #MIN_CLOCK_BOUND}
         */
        public FleaseOptions build() {
            return new FleaseOptions(this);
        }
    }
}
