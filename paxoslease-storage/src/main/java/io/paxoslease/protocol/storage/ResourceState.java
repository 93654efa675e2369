package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TrackedResource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client does about one lease: who in this process wants it, the access in flight, the stamp that it tries to hold by, the
 * tenure. One access is in flight at a time.
 */
final class ResourceState extends TrackedResource {

    /**
     * An access in flight.
     *
     * @param wrote what it puts into the register; null when it only reads
     * @param ofRelease whether it is for the release record
     */
    record Access(long id, Reading startedAt, @Nullable Attempt wrote, boolean ofRelease) {}

    /**
     * A stamp that was sent to the register.
     *
     * @param request what it is for; null when it renews or releases
     * @param startedAt before it was sent
     * @param holdNanos how long from then on the authority lasts that it may lead to
     * @param askedAt when the look that allowed it began
     * @param wishes the holder's requests that it fulfils
     */
    record Attempt(
            Stamp stamp,
            Content content,
            @Nullable AcquireRequest request,
            Reading startedAt,
            long holdNanos,
            Moment askedAt,
            List<Renewal> wishes) {

        boolean isRenewal() {
            return request == null && !stamp.isReleased();
        }

        Reading until() {
            return startedAt.plusNanos(holdNanos);
        }

        /**
         * Whether the stamp has stood. The one of a reader who joined the same readers does as well: each of them found one of these
         * there, so no writer can have held in between. Readers who began anew may have come after a writer. What stands is not below
         * the own sequence number, or the next writer's token might be.
         */
        boolean stands(StorageRules rules, @Nullable Stamp found, @Nullable Content there) {
            return Objects.equals(there, content)
                    || (found != null && rules.share(stamp, found) && found.sequence() >= stamp.sequence());
        }
    }

    /**
     * A stamp that says that the lease is free is to be written.
     *
     * @param token of the tenure that it ends
     * @param last the last stamp that is known to have been written; null, by compare-and-set only: look first
     */
    record Release(long token, @Nullable Attempt last) {}

    final RegisterObservation seen;

    /** When the next access is to begin. */
    Moment nextAt;

    @Nullable
    Access access;
    /** Written, not decided yet. */
    @Nullable
    Attempt attempt;

    @Nullable
    Tenure tenure;

    @Nullable
    Release release;

    /** What became of the last write is not known, or something came between: look before the next one. */
    boolean doubt;

    int releases;

    ResourceState(String resource, RegisterObservation seen, Moment now) {
        super(resource);
        this.seen = seen;
        this.nextAt = now;
    }

    @Override
    protected boolean isHeld() {
        return tenure != null;
    }

    @Override
    protected long token() {
        return tenure == null ? 0 : tenure.token;
    }

    /** A limit on the wait leaves time to ask, so that a free lease is granted however short the wait. */
    @Override
    @Nullable
    protected Moment giveUpFirstAt(Moment limit) {
        return tenure == null && (access != null || attempt != null) ? null : limit;
    }

    @Override
    protected boolean isIdle() {
        return requests.isEmpty() && access == null && attempt == null && tenure == null && release == null;
    }

    /** Whether there is more reason to renew than the time that has passed. */
    boolean isRenewalPressing() {
        return tenure != null && (!renewals.isEmpty() || tenure.suspect);
    }

    /** When the next access may begin at the earliest. */
    Moment beginAt() {
        return seen.quietUntil == null ? nextAt : Moment.later(nextAt, seen.quietUntil);
    }

    /** The earliest of all that is waited for, apart from the limits of requests; null when it waits for nothing. */
    @Nullable
    Moment earliest(StorageRules rules) {
        Moment earliest = null;
        Access open = access;
        if (open != null) {
            earliest = open.startedAt().moment().plusNanos(rules.accessNanos());
        } else if (attempt != null || release != null || (tenure == null && !requests.isEmpty())) {
            earliest = beginAt();
        } else if (tenure != null && (tenure.renewed || isRenewalPressing())) {
            earliest = Moment.later(beginAt(), isRenewalPressing() ? nextAt : tenure.renewAt);
        }
        return tenure == null ? earliest : Moment.earliest(earliest, tenure.until.moment());
    }

    /** For people and monitoring. */
    LeaseView view(NodeId self, StorageRules rules, Moment now) {
        long last = seen.highestSequence();
        Tenure held = tenure;
        if (held != null) {
            return new LeaseView(
                    resource,
                    held.suspect ? LeaseView.State.SUSPECT : LeaseView.State.HELD,
                    self,
                    held.token,
                    last,
                    Math.max(0, now.nanosUntil(held.until.moment())),
                    held.renewals,
                    0,
                    !held.suspect);
        }
        long wait = seen.waitNanos(rules, now);
        Stamp stamp = seen.stamp();
        NodeId owner = stamp == null || wait <= 0 ? null : stamp.owner();
        long age = owner == null ? 0 : seen.ageNanos(now);
        return new LeaseView(
                resource, LeaseView.State.WAITING, owner, 0, last, owner == null ? -1 : wait, 0, age, false);
    }
}
