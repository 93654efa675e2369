package io.paxoslease.spring.actuate;

import io.paxoslease.LeaseStatus;
import io.paxoslease.NodeStatus;
import io.paxoslease.PeerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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

    static LeasesDescriptor of(NodeStatus status, List<LeaseStatus> leases, PageDescriptor page) {
        return new LeasesDescriptor(
                NodeDescriptor.of(status),
                status.peers().stream().map(PeerDescriptor::of).toList(),
                leases.stream().map(LeaseDescriptor::of).toList(),
                page);
    }

    /**
     * This node.
     *
     * @param id the node's id
     * @param cell the name of the cell
     * @param incarnation the process's identity as a proposer, in hexadecimal; empty when the node is not running
     * @param state what the node's acceptor does
     * @param quarantine why and how long the acceptor is silent; left out when it is not
     * @param clock whether this node trusts its clocks
     * @param reachable how many members answer, this node included
     * @param majority how many must, for anything to be granted or renewed
     * @param leaseTimeMillis the default lease time
     * @param maxLeaseTimeMillis the cell's longest lease
     */
    public record NodeDescriptor(
            String id,
            String cell,
            String incarnation,
            NodeStatus.State state,
            @Nullable QuarantineDescriptor quarantine,
            ClockDescriptor clock,
            int reachable,
            int majority,
            long leaseTimeMillis,
            long maxLeaseTimeMillis) {

        private static NodeDescriptor of(NodeStatus status) {
            return new NodeDescriptor(
                    status.nodeId(),
                    status.cell(),
                    status.incarnation(),
                    status.state(),
                    QuarantineDescriptor.of(status.quarantine()),
                    new ClockDescriptor(
                            status.clocks().trusted(), status.clocks().disagreements()),
                    status.reachable(),
                    status.majority(),
                    status.leaseTime().toMillis(),
                    status.maxLeaseTime().toMillis());
        }
    }

    /**
     * The silence of an acceptor that may have forgotten what it granted.
     *
     * @param reason why it may have
     * @param remainingMillis how long it stays silent yet
     * @param until when it will answer again
     */
    public record QuarantineDescriptor(NodeStatus.Quarantine.Reason reason, long remainingMillis, Instant until) {

        private static @Nullable QuarantineDescriptor of(NodeStatus.@Nullable Quarantine quarantine) {
            return quarantine == null
                    ? null
                    : new QuarantineDescriptor(
                            quarantine.reason(),
                            quarantine.remaining().toMillis(),
                            Instants.in(quarantine.remaining()));
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
     * @param problem why it is not connected, in words; left out when it is, or not known yet
     */
    public record PeerDescriptor(
            String id,
            String address,
            boolean connected,
            @Nullable Long roundTripMicros,
            @Nullable String problem) {

        private static PeerDescriptor of(PeerStatus status) {
            Duration roundTrip = status.roundTrip();
            return new PeerDescriptor(
                    status.nodeId(),
                    status.address(),
                    status.connected(),
                    roundTrip == null ? null : roundTrip.toNanos() / 1_000,
                    status.problem());
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
