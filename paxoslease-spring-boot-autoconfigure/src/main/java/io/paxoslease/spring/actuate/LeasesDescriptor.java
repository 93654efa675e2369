package io.paxoslease.spring.actuate;

import io.paxoslease.Algorithm;
import io.paxoslease.LeaseStatus;
import io.paxoslease.NodeStatus;
import io.paxoslease.PeerStatus;
import io.paxoslease.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What a node knows.
 *
 * @param node this node
 * @param peers the other members of the cell
 * @param leases what this node holds, wants, has a record of as an acceptor, or lost lately
 * @param page which of the leases are shown
 */
public record LeasesDescriptor(
        NodeDescriptor node, List<PeerDescriptor> peers, List<LeaseDescriptor> leases, PageDescriptor page)
        implements OperationResponseBody {

    static LeasesDescriptor of(Algorithm algorithm, NodeStatus status, List<LeaseStatus> leases, PageDescriptor page) {
        return new LeasesDescriptor(
                NodeDescriptor.of(algorithm, status),
                status.peers().stream().map(PeerDescriptor::of).toList(),
                leases.stream().map(LeaseDescriptor::of).toList(),
                page);
    }

    /**
     * This node.
     *
     * @param id the node's id
     * @param cell the name of the cell
     * @param algorithm how the instances agree
     * @param incarnation the process's identity as a proposer, in hexadecimal; empty when the node is not running
     * @param state what the node's acceptor does
     * @param quarantine why and how long the acceptor is silent; left out when it is not
     * @param clock whether this node trusts its clocks
     * @param reachable how many members answer, this node included; of a store's clients, each counts alone
     * @param majority how many must, for anything to be granted or renewed
     * @param leaseTimeMillis the default lease time
     * @param maxLeaseTimeMillis the cell's longest lease
     * @param otherConfiguration which nodes of the cell were seen lately that run another configuration, what differs, and what to do; left
     *     out when none was
     * @param store what was seen of the store; left out where there is none
     */
    public record NodeDescriptor(
            String id,
            String cell,
            Algorithm algorithm,
            String incarnation,
            NodeStatus.State state,
            @Nullable QuarantineDescriptor quarantine,
            ClockDescriptor clock,
            int reachable,
            int majority,
            long leaseTimeMillis,
            long maxLeaseTimeMillis,
            @Nullable String otherConfiguration,
            @Nullable StoreDescriptor store) {

        private static NodeDescriptor of(Algorithm algorithm, NodeStatus status) {
            return new NodeDescriptor(
                    status.nodeId(),
                    status.cell(),
                    algorithm,
                    status.incarnation(),
                    status.state(),
                    QuarantineDescriptor.of(status.quarantine()),
                    new ClockDescriptor(
                            status.clocks().trusted(), status.clocks().disagreements()),
                    status.reachable(),
                    status.majority(),
                    status.leaseTime().toMillis(),
                    status.maxLeaseTime().toMillis(),
                    status.otherConfiguration(),
                    StoreDescriptor.of(status.store()));
        }
    }

    /**
     * The store where the instances meet. Times are those of the latest few hundred accesses.
     *
     * @param description what and where it is
     * @param accessBoundMillis what every access is to take less than
     * @param accesses how many were answered since the start
     * @param medianMicros half of them took no longer
     * @param p99Micros 99 in 100 took no longer
     * @param maxMicros none took longer
     * @param slow how many took as long as the bound, or longer, since the start
     * @param failed how many failed since the start
     * @param problem why this node contends for nothing at present; left out when it does
     * @param trouble what went wrong with the latest access; left out when it succeeded
     * @param missing of several stores, those that are done without at present, and what is wrong with each; left out when there are none
     */
    public record StoreDescriptor(
            String description,
            long accessBoundMillis,
            long accesses,
            long medianMicros,
            long p99Micros,
            long maxMicros,
            long slow,
            long failed,
            @Nullable String problem,
            @Nullable String trouble,
            @Nullable Map<String, String> missing) {

        private static @Nullable StoreDescriptor of(@Nullable StoreStatus store) {
            return store == null
                    ? null
                    : new StoreDescriptor(
                            store.description(),
                            store.accessBound().toMillis(),
                            store.accesses(),
                            micros(store.median()),
                            micros(store.p99()),
                            micros(store.max()),
                            store.slow(),
                            store.failed(),
                            store.problem(),
                            store.trouble(),
                            store.missing().isEmpty() ? null : store.missing());
        }
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /**
     * The silence of an acceptor that may have forgotten what it granted.
     *
     * @param reason why it may have
     * @param remainingMillis how long it stays silent yet, at least
     * @param until when it will answer again; left out when that is not known: when the clock is within the bound again, or no other
     *     configuration could have a majority
     */
    public record QuarantineDescriptor(
            NodeStatus.Quarantine.Reason reason,
            long remainingMillis,
            @Nullable Instant until) {

        private static @Nullable QuarantineDescriptor of(NodeStatus.@Nullable Quarantine quarantine) {
            return quarantine == null
                    ? null
                    : new QuarantineDescriptor(
                            quarantine.reason(),
                            quarantine.remaining().toMillis(),
                            hasKnownEnd(quarantine) ? Instants.in(quarantine.remaining()) : null);
        }

        private static boolean hasKnownEnd(NodeStatus.Quarantine quarantine) {
            return quarantine.reason() != NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS
                    && quarantine.reason() != NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION;
        }
    }

    /**
     * The two clocks of the process.
     *
     * @param trusted whether they agree, and the node's thread is alive; while not, this node relies on no lease
     * @param disagreements how often they disagreed since the start
     */
    public record ClockDescriptor(boolean trusted, long disagreements) {}

    /**
     * Another member of the cell.
     *
     * @param id the peer's node id
     * @param address its configured address
     * @param connected whether messages can be sent to it now
     * @param roundTripMicros how long a message to it and back takes, in microseconds; left out when not known
     * @param clockOffsetMicros with Flease, by how much its wall clock is ahead of this node's; left out when not known
     * @param clockUncertaintyMicros by how much that may be off; left out when not known
     * @param problem why it is not connected, in words; left out when it is, or not known yet
     */
    public record PeerDescriptor(
            String id,
            String address,
            boolean connected,
            @Nullable Long roundTripMicros,
            @Nullable Long clockOffsetMicros,
            @Nullable Long clockUncertaintyMicros,
            @Nullable String problem) {

        private static PeerDescriptor of(PeerStatus status) {
            return new PeerDescriptor(
                    status.nodeId(),
                    status.address(),
                    status.connected(),
                    microsIfKnown(status.roundTrip()),
                    microsIfKnown(status.clockOffset()),
                    microsIfKnown(status.clockUncertainty()),
                    status.problem());
        }

        private static @Nullable Long microsIfKnown(@Nullable Duration time) {
            return time == null ? null : micros(time);
        }
    }

    /**
     * Which leases are shown.
     *
     * @param offset how many were passed over
     * @param limit how many are shown at most
     * @param total how many there are
     */
    public record PageDescriptor(int offset, int limit, int total) {}

    /** Durations, as instants by the wall clock. */
    static final class Instants {

        private Instants() {}

        static Instant in(Duration time) {
            return Instant.ofEpochMilli(Instant.now().plus(time).toEpochMilli());
        }

        static Instant before(Duration time) {
            return in(time.negated());
        }
    }
}
