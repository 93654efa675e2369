package io.paxoslease.spring.actuate;

import io.paxoslease.NodeMode;
import io.paxoslease.monitor.AlgorithmStatus;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.storage.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The state of a node, its peers and its leases.
 * @param node this node
 * @param peers the other members of the cell
 * @param leases the leases that this node holds, requests, has a record of as an acceptor, or lost recently
 * @param page which of the leases are shown
 */
record LeasesDescriptor(
        NodeDescriptor node, List<PeerDescriptor> peers, List<LeaseDescriptor> leases, PageDescriptor page)
        implements OperationResponseBody {

    static LeasesDescriptor of(String algorithm, NodeStatus status, List<LeaseStatus> leases, PageDescriptor page) {
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
     * @param incarnation the process's identity as a proposer, in hexadecimal; empty if the node is not running
     * @param state the state of the node's acceptor
     * @param quarantine why and how long the acceptor does not vote; left out if it votes
     * @param clock whether this node trusts its clocks
     * @param mode what this node is to its cell
     * @param clients the clients of this member; left out if it has none
     * @param reachable how many members answer, this node included if it is one; a client of a store counts only itself
     * @param majority how many members must answer for a lease to be granted or renewed
     * @param leaseTimeMillis the default lease time
     * @param maxLeaseTimeMillis the cell's longest lease
     * @param otherConfiguration recently seen nodes of the cell with another configuration, the difference, and what to
     *     do; left out if there are none
     * @param membership who decides, once the members or the times of the cell have changed; left out before
     * @param store the store and its accesses; left out if there is none
     */
    record NodeDescriptor(
            String id,
            String cell,
            String algorithm,
            NodeMode mode,
            @Nullable ClientCounts clients,
            String incarnation,
            NodeStatus.State state,
            @Nullable QuarantineDescriptor quarantine,
            ClockDescriptor clock,
            int reachable,
            int majority,
            long leaseTimeMillis,
            long maxLeaseTimeMillis,
            @Nullable String otherConfiguration,
            @Nullable MembershipDescriptor membership,
            @Nullable StoreDescriptor store) {

        private static NodeDescriptor of(String algorithm, NodeStatus status) {
            return new NodeDescriptor(
                    status.nodeId(),
                    status.cell(),
                    algorithm,
                    status.mode(),
                    status.clients(),
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
                    MembershipDescriptor.of(status),
                    StoreDescriptor.of(status.algorithm()));
        }
    }

    /**
     * The store that holds the leases. Times are those of the latest few hundred accesses.
     *
     * @param description what and where it is
     * @param accessBoundMillis the access bound: every access must take less
     * @param accesses how many were answered since the start
     * @param medianMicros half of them took no longer
     * @param p99Micros 99 in 100 took no longer
     * @param maxMicros none took longer
     * @param slow how many took as long as the bound, or longer, since the start
     * @param failed how many failed since the start
     * @param problem why this node requests no leases at present; left out if it does
     * @param trouble the error of the latest access; left out if it succeeded
     * @param missing of several stores, those that fail or hang at present, each with its problem; left out if there
     *     are none
     */
    record StoreDescriptor(
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

        private static @Nullable StoreDescriptor of(@Nullable AlgorithmStatus status) {
            return !(status instanceof StoreStatus store)
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
     * The time in which an acceptor does not vote, because it may have forgotten what it granted.
     *
     * @param reason why it may have forgotten
     * @param remainingMillis how much longer it does not vote, at least
     * @param until when it will vote again; left out if unknown: with a clock out of bounds, beside another
     *     configuration, or under a generation that is over
     */
    record QuarantineDescriptor(
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
                    && quarantine.reason() != NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION
                    && quarantine.reason() != NodeStatus.Quarantine.Reason.GENERATION_OVER;
        }
    }

    /**
     * The two clocks of the process.
     *
     * @param trusted whether they agree and the node's thread is alive; while false, this node relies on no lease
     * @param disagreements how often they disagreed since the start
     */
    record ClockDescriptor(boolean trusted, long disagreements) {}

    /**
     * Another member of the cell.
     *
     * @param id the peer's node id
     * @param address its configured address
     * @param connected whether messages can be sent to it now
     * @param roundTripMicros the round trip of a message, in microseconds; left out if unknown
     * @param clockOffsetMicros with Flease, by how much its wall clock is ahead of this node's; left out if unknown
     * @param clockUncertaintyMicros the error bound of that offset; left out if unknown
     * @param problem why it is not connected, in words; left out if it is connected, or the reason is unknown yet
     */
    record PeerDescriptor(
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
     * @param offset how many were skipped
     * @param limit how many are shown at most
     * @param total how many there are
     */
    record PageDescriptor(int offset, int limit, int total) {}

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
