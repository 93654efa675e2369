package io.paxoslease;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which configuration of its cell a node runs, and which one it follows. Members, longest lease and clock drift can change while the cell
 * serves if each configuration has its number and names the one before. Immutable.
 *
 * @param number 1 in a cell that has never changed, and one more at each change
 * @param previous the configuration with the number before, which votes too until this one is sealed; null: this one is sealed from the
 *     start, as the first one is
 */
public record GenerationOptions(int number, @Nullable Previous previous) {

    private static final int HIGHEST = 1_000_000_000;

    /**
     * The configuration before.
     *
     * @param peers its members: node id to unresolved address
     * @param maxLeaseTime its longest lease
     * @param clockDrift its bound on the rate error of clocks
     */
    public record Previous(Map<String, InetSocketAddress> peers, Duration maxLeaseTime, double clockDrift) {

        public Previous {
            peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
            if (peers.isEmpty()) {
                throw new InvalidOptionException(
                        "previousPeers", "", "must list the members of the cell before the change");
            }
            OptionChecks.checkMaxLeaseTime("previousMaxLeaseTime", maxLeaseTime);
            if (maxLeaseTime.compareTo(PaxosLeaseOptions.MIN_LEASE_TIME) < 0) {
                throw new InvalidOptionException(
                        "previousMaxLeaseTime",
                        maxLeaseTime,
                        "must be at least %d ms: it is what the cell was configured with before the change"
                                .formatted(PaxosLeaseOptions.MIN_LEASE_TIME.toMillis()));
            }
            OptionChecks.checkDrift("previousClockDrift", clockDrift);
        }
    }

    public GenerationOptions {
        if (number < 1 || number > HIGHEST) {
            throw new InvalidOptionException(
                    "generation", number, "must be from 1 to %d, and one more at each change".formatted(HIGHEST));
        }
        if (number == 1 && previous != null) {
            throw new InvalidOptionException(
                    "previousPeers",
                    previous.peers().keySet(),
                    "are the members before a change, and generation 1 follows none: set the generation to one more than the cell runs, which is 2 at its first change, or leave previousPeers out");
        }
    }

    /** Of a cell that has never changed. */
    public static GenerationOptions first() {
        return new GenerationOptions(1, null);
    }

    /** Everyone who votes before or after the seal, with the address in {@code peers} if both lists have one. */
    Map<String, InetSocketAddress> everyone(Map<String, InetSocketAddress> peers) {
        if (previous == null) {
            return peers;
        }
        Map<String, InetSocketAddress> everyone = new LinkedHashMap<>(peers);
        previous.peers().forEach(everyone::putIfAbsent);
        return Collections.unmodifiableMap(everyone);
    }

    /** Whether the node votes in either list. */
    boolean lists(String nodeId, Map<String, InetSocketAddress> peers) {
        return everyone(peers).containsKey(nodeId);
    }

    void check(Map<String, InetSocketAddress> peers, boolean hasContactPoints, AlgorithmOptions algorithm) {
        if (number == 1) {
            return;
        }
        if (algorithm != AlgorithmOptions.PAXOSLEASE) {
            throw new InvalidOptionException(
                    "generation",
                    number,
                    "is for cells that run PaxosLease, and this node runs '%s': leave it out, and stop every node to change the configuration"
                            .formatted(algorithm.algorithm()));
        }
        if (hasContactPoints) {
            throw new InvalidOptionException(
                    "generation",
                    number,
                    "is what the members say to a client that has contact points: leave it out, or list the peers instead");
        }
        if (peers.isEmpty()) {
            throw new InvalidOptionException(
                    "generation", number, "needs the members after the change: list them all as peers");
        }
    }

    /** Of the options of a builder: what is not given of the previous configuration is as it is now. */
    static GenerationOptions of(
            int number,
            Map<String, InetSocketAddress> previousPeers,
            @Nullable Duration previousMaxLeaseTime,
            @Nullable Double previousClockDrift,
            Duration maxLeaseTime,
            double clockDrift) {
        if (!previousPeers.isEmpty()) {
            return new GenerationOptions(
                    number,
                    new Previous(
                            previousPeers,
                            Objects.requireNonNullElse(previousMaxLeaseTime, maxLeaseTime),
                            previousClockDrift == null ? clockDrift : previousClockDrift));
        }
        if (previousMaxLeaseTime != null || previousClockDrift != null) {
            throw new InvalidOptionException(
                    previousMaxLeaseTime != null ? "previousMaxLeaseTime" : "previousClockDrift",
                    previousMaxLeaseTime != null ? previousMaxLeaseTime : previousClockDrift,
                    "is a setting of the members before a change: list those too, as previousPeers, even if they are the same");
        }
        return new GenerationOptions(number, null);
    }
}
