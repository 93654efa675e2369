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

/** The state of a node, its peers and its leases. The fields of the answers are described in docs/operations/actuator.md. */
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

    record NodeDescriptor(
            String id,
            String cell,
            String algorithm,
            NodeMode mode,
            @Nullable ClientCounts clients,
            String incarnation,
            NodeStatus.State state,
            @Nullable QuarantineDescriptor quarantine,
            NodeStatus.Clocks clock,
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
                    status.clocks(),
                    status.reachable(),
                    status.majority(),
                    status.leaseTime().toMillis(),
                    status.maxLeaseTime().toMillis(),
                    status.otherConfiguration(),
                    MembershipDescriptor.of(status),
                    StoreDescriptor.of(status.algorithm()));
        }
    }

    /** The store that holds the leases. Times are those of the latest few hundred accesses. */
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

    /** The time in which an acceptor does not vote, because it may have forgotten what it granted. */
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

    record PageDescriptor(int offset, int limit, int total) {}

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
