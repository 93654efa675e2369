package io.paxoslease.node;

import io.paxoslease.Algorithm;
import io.paxoslease.FleaseOptions;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseNode;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.storage.StorageClient;
import io.paxoslease.protocol.storage.StoreView;
import io.paxoslease.transport.CellConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What differs between the algorithms for the node that runs one. */
public interface NodeAlgorithm {

    Duration LONGEST_LEASE = Duration.ofHours(24);
    double LARGEST_DRIFT = 0.5;

    /**
     * What a machine is made from.
     *
     * @param generation who votes, before and after a change, and the time rules
     * @param memoryLostAt when an earlier life of the node, which nothing is remembered of, ended at the latest; null: there was none
     * @param isAlone whether no other node ever asks this one: it is the only member, and admits no clients
     */
    record Setup(
            NodeId self,
            Generation generation,
            @Nullable Moment memoryLostAt,
            boolean isAlone,
            ConfigurationGuard guard,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {

        /** The time rules of a cell that does not change. */
        Timing timing() {
            return generation.current().timing();
        }

        /** A0: when all that an earlier life may have granted to others is over; null when there can be nothing. */
        @Nullable
        Moment quarantineEnd(long silenceNanos) {
            return memoryLostAt == null || isAlone ? null : memoryLostAt.plusNanos(silenceNanos);
        }
    }

    static NodeAlgorithm of(PaxosLeaseOptions options) {
        StorageOptions storage = options.storage();
        if (storage != null) {
            return new OfStorage(storage);
        }
        FleaseOptions flease = options.flease();
        return flease == null ? new OfPaxosLease() : new OfFlease(flease);
    }

    /** How long a node of that configuration is silent when it starts, within what can be configured: the numbers came over the network. */
    static long silenceNanos(CellConfig config) {
        MemberList before = config.generation().previous();
        Timing timing = bounded(config.generation().current(), config.clockBound());
        return (before == null ? timing : Timing.ofBoth(bounded(before, config.clockBound()), timing))
                .quarantineNanos();
    }

    private static Timing bounded(MemberList list, @Nullable Duration bound) {
        Duration longest = list.maxLeaseTime().plus(bound == null ? Duration.ZERO : bound);
        double drift = list.clockDrift() >= 0 ? Math.min(list.clockDrift(), LARGEST_DRIFT) : LARGEST_DRIFT;
        return new Timing(longest.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : longest, drift);
    }

    LeaseAlgorithm create(Setup setup);

    /** How long the node's thread may be held up before its leases are not relied on. */
    default long trustNanos(Timing timing) {
        return timing.maxLeaseNanos();
    }

    /** How long a node that has lost its memory takes no part. */
    default long silenceNanos(Timing timing) {
        return timing.quarantineNanos();
    }

    /** Whether the members can tell for certain who holds a lease. */
    default boolean asksForHolders() {
        return false;
    }

    /** What a wall clock that is ahead is seen by. */
    default String numbered() {
        return "ballots";
    }

    /** The bound on the members' wall clocks, for people. */
    default Object clockBound() {
        return "unknown";
    }

    /** What the machine has seen of its store; empty: it has none. */
    default Optional<StoreView> store(LeaseAlgorithm machine, Reading now) {
        return Optional.empty();
    }

    /** {@link Algorithm#PAXOSLEASE}. */
    record OfPaxosLease() implements NodeAlgorithm {

        @Override
        public LeaseAlgorithm create(Setup setup) {
            Generation generation = setup.generation();
            return new Node(
                    setup.self(),
                    generation,
                    setup.quarantineEnd(silenceNanos(generation.timing(false))),
                    setup.guard(),
                    setup.isAlone(),
                    setup.incarnations(),
                    setup.random(),
                    Runtime.getRuntime().maxMemory(),
                    setup.now());
        }
    }

    /** {@link Algorithm#FLEASE}. */
    record OfFlease(FleaseOptions options) implements NodeAlgorithm {

        private long boundNanos() {
            return options.clockBound().toNanos();
        }

        @Override
        public LeaseAlgorithm create(Setup setup) {
            return new FleaseNode(
                    setup.self(),
                    new Quorum(setup.generation().current().members()),
                    setup.timing(),
                    boundNanos(),
                    setup.quarantineEnd(silenceNanos(setup.timing())),
                    setup.guard(),
                    setup.incarnations(),
                    setup.random(),
                    Runtime.getRuntime().maxMemory(),
                    setup.now());
        }

        @Override
        public long trustNanos(Timing timing) {
            return FleaseNode.trustNanos(timing, boundNanos());
        }

        @Override
        public long silenceNanos(Timing timing) {
            return FleaseNode.silenceNanos(timing, boundNanos());
        }

        @Override
        public boolean asksForHolders() {
            return true;
        }

        @Override
        public String numbered() {
            return "rounds";
        }

        @Override
        public Object clockBound() {
            return options.clockBound();
        }
    }

    /** {@link Algorithm#STORAGE}. */
    record OfStorage(StorageOptions options) implements NodeAlgorithm {

        @Override
        public LeaseAlgorithm create(Setup setup) {
            return new StorageClient(
                    setup.self(),
                    options.rules(setup.timing()),
                    options.register().describe(),
                    setup.incarnations(),
                    setup.random(),
                    setup.now());
        }

        @Override
        public Optional<StoreView> store(LeaseAlgorithm machine, Reading now) {
            return machine instanceof StorageClient client ? Optional.of(client.store(now)) : Optional.empty();
        }
    }
}
