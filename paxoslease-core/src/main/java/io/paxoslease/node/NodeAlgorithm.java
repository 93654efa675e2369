package io.paxoslease.node;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.AlgorithmStatus;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.watch.WatchMessage;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.MessageTypes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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
        public Timing timing() {
            return generation.current().timing();
        }

        /** A0: when all that an earlier life may have granted to others is over; null when there can be nothing. */
        public @Nullable Moment quarantineEnd(long silenceNanos) {
            return memoryLostAt == null || isAlone ? null : memoryLostAt.plusNanos(silenceNanos);
        }
    }

    /** What runs with these options. */
    static NodeAlgorithm of(AlgorithmOptions options) {
        return options == AlgorithmOptions.PAXOSLEASE ? new OfPaxosLease() : AlgorithmProvider.find(options);
    }

    /** The algorithm as configuration names it, see {@link AlgorithmOptions#algorithm()}. */
    String name();

    /** Whether a holder hears of it when another node requests its lease. */
    default boolean tellsHolders() {
        return true;
    }

    /** Whether a holder can learn who waits for its lease, and hand it over to one of those nodes. */
    default boolean nominates() {
        return false;
    }

    /**
     * Checks a request for a lease that its holder may rely on for so long.
     *
     * @throws IllegalArgumentException when no such lease can be had
     */
    default void checkRequest(Timing timing, long nanos, boolean renewed, boolean shared) {
        if (shared) {
            throw new IllegalArgumentException(
                    "The algorithm '%s', which this node runs, has no shared leases".formatted(Printable.name(name())));
        }
    }

    /** Whether leases have notes. */
    default boolean hasNotes() {
        return false;
    }

    /**
     * Checks the note that a lease is to have.
     *
     * @param note empty: none
     * @throws IllegalArgumentException when leases have no notes here
     */
    default void checkNote(String note) {
        if (!note.isEmpty() && !hasNotes()) {
            throw new IllegalArgumentException(
                    "The algorithm '%s', which this node runs, has no notes on leases: leave the note out, or use a cell that runs PaxosLease"
                            .formatted(Printable.name(name())));
        }
    }

    /** The kinds of messages that nodes exchange, for counters. */
    List<Class<? extends Message>> messages();

    /** How messages that are not of PaxosLease look on the wire. */
    default MessageTypes wireTypes() {
        return MessageTypes.NONE;
    }

    /** What a life of the node stands on; null: the network. */
    default @Nullable NodeEnvironment environment(PaxosLeaseOptions node) {
        return null;
    }

    /**
     * Where messages are answered that do not go to other nodes, in memory and at once; null: all go to nodes.
     *
     * @param clock of the node that sends them
     */
    default @Nullable UnaryOperator<Message> store(PaxosLeaseOptions node, NodeClock clock) {
        return null;
    }

    /** The clocks of the machine, as this algorithm needs them. */
    default NodeClock clock() {
        return new SystemClock();
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

    /** Whether the members tell nodes who holds which leases, as it changes (section 10). */
    default boolean hasWatches() {
        return false;
    }

    /** The bound on the members' wall clocks that it relies on; null: none. */
    default @Nullable Duration clockBound() {
        return null;
    }

    /**
     * What it has to say of itself; empty: nothing. Looks at the machine on the node's thread; what is supplied is completed on the
     * thread that asks.
     */
    default Optional<Supplier<AlgorithmStatus>> status(LeaseAlgorithm machine, Reading now) {
        return Optional.empty();
    }

    /** {@link AlgorithmOptions#PAXOSLEASE}. */
    record OfPaxosLease() implements NodeAlgorithm {

        @Override
        public String name() {
            return AlgorithmOptions.PAXOSLEASE.algorithm();
        }

        @Override
        public boolean hasNotes() {
            return true;
        }

        @Override
        public boolean nominates() {
            return true;
        }

        @Override
        public List<Class<? extends Message>> messages() {
            return List.of(
                    PaxosMessage.Request.class,
                    PaxosMessage.Answer.class,
                    MaxRegisterMessage.class,
                    WatchMessage.class);
        }

        @Override
        public boolean hasWatches() {
            return true;
        }

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
}
