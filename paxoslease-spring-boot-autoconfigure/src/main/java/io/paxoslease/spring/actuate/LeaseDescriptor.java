package io.paxoslease.spring.actuate;

import io.paxoslease.LossReason;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.LeaseLoss;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.spring.actuate.LeasesDescriptor.Instants;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One lease, as this node knows it.
 *
 * @param resource the lease's full name
 * @param kind what the lease is for, by the prefix of its name
 * @param name the name of the role or the key of the lock; the full name for a plain lease
 * @param state what this node has or knows of the lease
 * @param owner the holder; left out if unknown
 * @param fencingToken the token of this node's tenure; left out if it has none
 * @param ballot the counter of the last ballot that this node used for it; left out if there is none
 * @param grantedAt when this node's tenure began; left out if it has none
 * @param remainingMillis how long the holder may rely on the lease without a renewal; left out if unknown
 * @param renewals how often this node's tenure was renewed
 * @param lastLoss the last tenure that this node lost; left out if it lost none recently
 */
record LeaseDescriptor(
        String resource,
        Kind kind,
        String name,
        LeaseStatus.State state,
        @Nullable OwnerDescriptor owner,
        @Nullable Long fencingToken,
        @Nullable Long ballot,
        @Nullable Instant grantedAt,
        @Nullable Long remainingMillis,
        long renewals,
        @Nullable LossDescriptor lastLoss)
        implements OperationResponseBody {

    static LeaseDescriptor of(LeaseStatus status) {
        Kind kind = Kind.of(status.resource());
        Duration heldFor = status.heldFor();
        return new LeaseDescriptor(
                status.resource(),
                kind,
                status.resource().substring(kind.prefix.length()),
                status.state(),
                OwnerDescriptor.of(status),
                status.fencingToken(),
                status.ballot(),
                heldFor == null ? null : Instants.before(heldFor),
                millis(status.remaining()),
                status.renewals(),
                LossDescriptor.of(status.lastLoss()));
    }

    private static @Nullable Long millis(@Nullable Duration time) {
        return time == null ? null : time.toMillis();
    }

    /**
     * The holder of a lease.
     *
     * @param nodeId the holder's node id
     * @param certain whether no other node can hold it for the remaining time unless the owner gives it up: on the
     *     holder itself, and with Flease on every node that reaches a majority, within the clock bound; otherwise this
     *     is a hint
     * @param ageMillis how old the hint is; left out if certain
     */
    record OwnerDescriptor(
            String nodeId, boolean certain, @Nullable Long ageMillis) {

        private static @Nullable OwnerDescriptor of(LeaseStatus status) {
            String owner = status.owner();
            return owner == null ? null : new OwnerDescriptor(owner, status.certain(), millis(status.hintAge()));
        }
    }

    /**
     * A tenure that was lost.
     *
     * @param reason the reason
     * @param at when this node noticed
     * @param fencingToken the tenure's token
     */
    record LossDescriptor(LossReason reason, Instant at, long fencingToken) {

        private static @Nullable LossDescriptor of(@Nullable LeaseLoss loss) {
            return loss == null
                    ? null
                    : new LossDescriptor(loss.reason(), Instants.before(loss.ago()), loss.fencingToken());
        }
    }

    /** What a lease is for. */
    enum Kind {
        /** A role, contested by an election. */
        ROLE(LeaderElection.DEFAULT_PREFIX),
        /** A lock of the lock registry. */
        LOCK(LockOptions.DEFAULT_PREFIX),
        /** Anything else. */
        PLAIN("");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }

        static Kind of(String resource) {
            for (Kind kind : values()) {
                if (resource.startsWith(kind.prefix)) {
                    return kind;
                }
            }
            return PLAIN;
        }
    }
}
