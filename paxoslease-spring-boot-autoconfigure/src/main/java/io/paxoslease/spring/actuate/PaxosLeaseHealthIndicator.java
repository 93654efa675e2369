package io.paxoslease.spring.actuate;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.monitor.AlgorithmStatus;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether leases can be granted and renewed, as far as this node knows: {@code UP}, or the status of {@link HealthStatuses} with the
 * cause: no majority of members with its configuration; with Flease, a clock out of the bound; with a store, no access
 * to it. The cause is usually elsewhere, so a restart of this instance does not help. A node that found a fault in itself, or is stopped, is
 * {@code OUT_OF_SERVICE}; the {@code problem} of the former says to restart it. So is a member that does not vote yet after its start, until its
 * {@code quarantine} has ended, which takes time only. A store of the cell's members that cannot be read,
 * was deleted or was rolled back, is a detail and leaves the status as it is. The same on a leader and on a follower. Thread-safe.
 */
final class PaxosLeaseHealthIndicator implements HealthIndicator {

    /** The store of the members matters at a change of them only, so it is not looked at more often. */
    private static final Duration STORE_AGE = Duration.ofMinutes(1);

    private static final Duration STORE_PATIENCE = Duration.ofSeconds(1);

    private final NodeMonitor node;
    private final HealthStatuses statuses;
    private final @Nullable MembershipStoreProbe members;
    /** The incarnation of the node that was able to get leases when health was asked for last; null before that. */
    private volatile @Nullable String ableSince;

    PaxosLeaseHealthIndicator(NodeMonitor node, HealthStatuses statuses) {
        this.node = node;
        this.statuses = statuses;
        MembershipStore store = node.options().membershipStore();
        this.members = store == null ? null : new MembershipStoreProbe(store);
    }

    @Override
    public Health health() {
        NodeStatus status;
        try {
            status = node.status();
        } catch (PaxosLeaseException e) {
            return Health.outOfService()
                    .withDetail("node", node.options().nodeId())
                    .withDetail("problem", String.valueOf(e.getMessage()))
                    .build();
        }
        Health.Builder health = Health.status(statusOf(status))
                .withDetail("node", status.nodeId())
                .withDetail("cell", status.cell())
                .withDetail("state", status.state());
        if (node.options().algorithm().hasMembers()) { // a client of a store counts only itself
            health.withDetail("reachable", status.reachable()).withDetail("majority", status.majority());
        }
        details(status).forEach((name, detail) -> {
            if (detail != null) {
                health.withDetail(name, detail);
            }
        });
        return health.build();
    }

    /** Null for those that there is nothing to say of. */
    private Map<String, @Nullable Object> details(NodeStatus status) {
        ClientCounts clients = status.clients();
        MembershipDescriptor membership = MembershipDescriptor.of(status);
        Map<String, String> missing = missing(status);
        Map<String, @Nullable Object> details = new LinkedHashMap<>();
        details.put("mode", status.mode() == NodeMode.CLIENT ? status.mode() : null);
        details.put("clients", clients == null ? null : clients.connected());
        details.put("membership", membership == null ? null : membership.toDetails());
        details.put("missing", missing.isEmpty() ? null : missing);
        details.put(
                "problem",
                isFaulty(status)
                        ? "this node found a fault in itself and does not take part any more: restart this instance, and report the error in the log"
                        : null);
        details.put(
                "quarantine",
                MemberAvailability.isStarting(status)
                        ? "this member does not vote yet, for another %d ms: it has just started, and may have forgotten what it granted before. Stop no other member, and do not restart this one, until it votes"
                                .formatted(status.quarantineRemaining().toMillis())
                        : null);
        details.put("clock", clockProblem(status));
        details.put("store", storeProblem(status));
        details.put("otherConfiguration", status.otherConfiguration());
        details.put("membershipStore", membersProblem(status.membership()));
        return details;
    }

    private Status statusOf(NodeStatus status) {
        if (isFaulty(status) || status.state() == NodeStatus.State.STOPPED || MemberAvailability.isStarting(status)) {
            return Status.OUT_OF_SERVICE;
        }
        boolean able = status.hasMajority()
                && clockProblem(status) == null
                && storeProblem(status) == null
                && !isSilentBesideAnotherConfiguration(status);
        if (able) {
            ableSince = status.incarnation();
            return Status.UP;
        }
        return status.incarnation().equals(ableSince) ? statuses.noQuorum() : statuses.starting();
    }

    private static boolean isFaulty(NodeStatus status) {
        return status.state() == NodeStatus.State.FAILED && status.algorithm() == null;
    }

    /** Changes the status of nothing: no lease depends on that store. */
    private @Nullable String membersProblem(@Nullable MembershipStatus membership) {
        if (members == null) {
            return null;
        }
        MembershipStoreProbe.Result result = members.result(STORE_AGE, STORE_PATIENCE);
        Membership stored = result.stored();
        if (stored != null && membership != null && stored.generation().number() < membership.sealed()) {
            return "The %s has generation %d, and generation %d of the cell is sealed: it was rolled back, as by a backup. A member that knows the seal writes it back; if this stays, correct the store, and start no node before"
                    .formatted(members.describe(), stored.generation().number(), membership.sealed());
        }
        boolean isLost =
                stored == null && result.problem() == null && !node.options().isClient();
        return isLost
                ? "The %s has lost the members. A member that knows its generation to be sealed writes it back; if this stays, correct the store, and start no node before"
                        .formatted(members.describe())
                : result.problem();
    }

    private static @Nullable String clockProblem(NodeStatus status) {
        NodeStatus.Quarantine quarantine = status.quarantine();
        if (quarantine == null || quarantine.reason() != NodeStatus.Quarantine.Reason.CLOCK_OUT_OF_BOUNDS) {
            return null;
        }
        return status.hasMajority()
                ? "the wall clock is not known to be within the clock bound of a majority: see to NTP on every node"
                : "the wall clock cannot be compared with a majority's until a majority answers";
    }

    private static boolean isSilentBesideAnotherConfiguration(NodeStatus status) {
        NodeStatus.Quarantine quarantine = status.quarantine();
        return quarantine != null && quarantine.reason() == NodeStatus.Quarantine.Reason.OTHER_CONFIGURATION;
    }

    private static @Nullable String storeProblem(NodeStatus status) {
        AlgorithmStatus store = status.algorithm();
        if (store == null) {
            return null;
        }
        return store.problem() == null ? store.trouble() : store.problem();
    }

    /** The problem with each, or its address as long as there is none known; and the stores that are done without. */
    private static Map<String, String> missing(NodeStatus status) {
        AlgorithmStatus own = status.algorithm();
        Map<String, String> missing = new LinkedHashMap<>(own == null ? Map.of() : own.missing());
        for (PeerStatus peer : status.peers()) {
            if (!peer.connected() && isNeeded(peer, status)) {
                String problem = peer.problem();
                missing.put(peer.nodeId(), problem == null ? "not connected yet: " + peer.address() : problem);
            }
        }
        return missing;
    }

    /** The members before a change are not needed once it is sealed. */
    private static boolean isNeeded(PeerStatus peer, NodeStatus status) {
        MembershipStatus membership = status.membership();
        return membership == null
                || membership.mode() == MembershipStatus.Mode.JOINT
                || membership.members().contains(peer.nodeId());
    }
}
