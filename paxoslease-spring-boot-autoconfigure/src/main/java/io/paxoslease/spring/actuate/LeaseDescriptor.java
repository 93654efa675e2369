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

/** One lease, as this node knows it. */
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
        @Nullable LossDescriptor lastLoss,
        @Nullable String note)
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
                LossDescriptor.of(status.lastLoss()),
                status.note());
    }

    private static @Nullable Long millis(@Nullable Duration time) {
        return time == null ? null : time.toMillis();
    }

    record OwnerDescriptor(
            String nodeId, boolean certain, @Nullable Long ageMillis) {

        private static @Nullable OwnerDescriptor of(LeaseStatus status) {
            String owner = status.owner();
            return owner == null ? null : new OwnerDescriptor(owner, status.certain(), millis(status.hintAge()));
        }
    }

    record LossDescriptor(LossReason reason, Instant at, long fencingToken) {

        private static @Nullable LossDescriptor of(@Nullable LeaseLoss loss) {
            return loss == null
                    ? null
                    : new LossDescriptor(loss.reason(), Instants.before(loss.ago()), loss.fencingToken());
        }
    }

    enum Kind {
        ROLE(LeaderElection.DEFAULT_PREFIX),
        LOCK(LockOptions.DEFAULT_PREFIX),
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
