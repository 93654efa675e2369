package io.paxoslease.spring.actuate;

import io.paxoslease.LeaseStatus;
import io.paxoslease.LockOptions;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PeerStatus;
import io.paxoslease.spring.leader.LeaderElections;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows a node, its peers and the leases it knows of. It reads a snapshot of the node and changes nothing. All times are
 * in milliseconds.
 */
@Endpoint(id = "leases")
public final class LeasesEndpoint {

    private final PaxosLease node;

    /** @param node is shown */
    public LeasesEndpoint(PaxosLease node) {
        this.node = node;
    }

    /** Everything that this node knows. */
    @ReadOperation
    public LeasesDescriptor leases() {
        NodeStatus status = node.status();
        return new LeasesDescriptor(
                NodeDescriptor.of(status),
                status.peers().stream().map(PeerDescriptor::of).toList(),
                status.leases().stream().map(LeaseDescriptor::of).toList());
    }

    /**
     * One lease.
     *
     * @param resource the lease's full name, for instance {@code role:leader}
     * @return null, which is HTTP's 404, when this node knows nothing of it
     */
    @ReadOperation
    public @Nullable LeaseDescriptor lease(@Selector(match = Selector.Match.ALL_REMAINING) String... resource) {
        // A name may contain slashes, which makes it several segments of the path.
        return node.status(String.join("/", resource)).map(LeaseDescriptor::of).orElse(null);
    }

    /**
     * What this node knows.
     *
     * @param node this node
     * @param peers the other members of the cell
     * @param leases what this node holds or wants, then what its acceptor knows of
     */
    public record LeasesDescriptor(NodeDescriptor node, List<PeerDescriptor> peers, List<LeaseDescriptor> leases)
            implements OperationResponseBody {}

    /**
     * This node.
     *
     * @param id the node's id
     * @param cell the name of the cell
     * @param incarnation the process's identity as a proposer, in hexadecimal
     * @param state what the node's acceptor does
     * @param quarantineRemainingMillis how long the acceptor stays silent yet; 0 when it answers
     * @param leaseTimeMillis the default lease time
     * @param maxLeaseTimeMillis the cell's longest lease
     */
    public record NodeDescriptor(
            String id,
            String cell,
            String incarnation,
            NodeStatus.State state,
            long quarantineRemainingMillis,
            long leaseTimeMillis,
            long maxLeaseTimeMillis) {

        private static NodeDescriptor of(NodeStatus status) {
            return new NodeDescriptor(
                    status.nodeId(),
                    status.cell(),
                    status.incarnation(),
                    status.state(),
                    status.quarantineRemaining().toMillis(),
                    status.leaseTime().toMillis(),
                    status.maxLeaseTime().toMillis());
        }
    }

    /**
     * Another member of the cell.
     *
     * @param id the peer's node id
     * @param address its configured address
     * @param connected whether messages can be sent to it now
     * @param problem why not, in words; left out when connected or not known yet
     */
    public record PeerDescriptor(
            String id,
            String address,
            boolean connected,
            @Nullable String problem) {

        private static PeerDescriptor of(PeerStatus status) {
            return new PeerDescriptor(status.nodeId(), status.address(), status.connected(), status.problem());
        }
    }

    /**
     * One lease, as this node knows it.
     *
     * @param resource the lease's full name
     * @param kind what the lease is for, told from the prefix of the name
     * @param name the name of the role or the key of the lock; the full name for a plain lease
     * @param state where this node stands
     * @param owner who holds it; left out when unknown
     * @param fencingToken the token of this node's tenure; left out when it holds none
     * @param ballot the counter of the last ballot this node used for it; left out when it used none
     * @param remainingMillis how long the holder's authority lasts without a renewal; left out when unknown
     * @param renewals how often this node's tenure was renewed
     */
    public record LeaseDescriptor(
            String resource,
            Kind kind,
            String name,
            LeaseStatus.State state,
            @Nullable OwnerDescriptor owner,
            @Nullable Long fencingToken,
            @Nullable Long ballot,
            @Nullable Long remainingMillis,
            long renewals)
            implements OperationResponseBody {

        private static LeaseDescriptor of(LeaseStatus status) {
            Kind kind = Kind.of(status.resource());
            Duration remaining = status.remaining();
            return new LeaseDescriptor(
                    status.resource(),
                    kind,
                    status.resource().substring(kind.prefix.length()),
                    status.state(),
                    OwnerDescriptor.of(status),
                    status.fencingToken(),
                    status.ballot(),
                    remaining == null ? null : remaining.toMillis(),
                    status.renewals());
        }
    }

    /**
     * Who holds a lease.
     *
     * @param nodeId the holder's node id
     * @param certain whether this node knows it, because it is the holder; else an acceptor's hint
     */
    public record OwnerDescriptor(String nodeId, boolean certain) {

        private static @Nullable OwnerDescriptor of(LeaseStatus status) {
            String owner = status.owner();
            return owner == null ? null : new OwnerDescriptor(owner, status.state() == LeaseStatus.State.HELD);
        }
    }

    /** What a lease is for. */
    public enum Kind {
        /** A role, stood for by an election. */
        ROLE(LeaderElections.RESOURCE_PREFIX),
        /** A lock of the lock registry. */
        LOCK(LockOptions.DEFAULT_PREFIX),
        /** Anything else. */
        PLAIN("");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }

        private static Kind of(String resource) {
            for (Kind kind : values()) {
                if (resource.startsWith(kind.prefix)) {
                    return kind;
                }
            }
            return PLAIN;
        }
    }
}
