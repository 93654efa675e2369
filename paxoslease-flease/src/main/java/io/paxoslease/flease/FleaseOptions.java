package io.paxoslease.flease;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a cell that runs Flease needs to know. Immutable.
 *
 * @param clockBound epsilon: the most that the wall clocks of any two nodes may differ by, the same on every node. It is watched
 *     while the nodes run: a node whose clock is not known to be within it takes no part
 */
public record FleaseOptions(Duration clockBound) implements AlgorithmOptions {

    /** The default of {@link #clockBound}. */
    public static final Duration DEFAULT_CLOCK_BOUND = Duration.ofMillis(500);

    /** Less cannot be watched: clocks are read in milliseconds, and compared over a network. */
    public static final Duration MIN_CLOCK_BOUND = Duration.ofMillis(10);

    public FleaseOptions {
        Objects.requireNonNull(clockBound, "clockBound");
        if (clockBound.compareTo(MIN_CLOCK_BOUND) < 0) {
            throw new InvalidOptionException(
                    "clockBound",
                    clockBound,
                    "must be at least %d ms: clocks cannot be compared more closely over a network; %d ms is right where NTP runs"
                            .formatted(MIN_CLOCK_BOUND.toMillis(), DEFAULT_CLOCK_BOUND.toMillis()));
        }
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

    /** With the default clock bound. */
    public static FleaseOptions defaults() {
        return new FleaseOptions(DEFAULT_CLOCK_BOUND);
    }
}
