package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client does about one lease: who in this process wants it, the access in flight, the stamp that it tries to hold by, the
 * tenure. One access is in flight at a time.
 */
final class Claim extends Timed {

    /** What the next access, or the one in flight, is for. */
    enum Phase {
        /** Contend: is the lease free? */
        LOOK,
        /** Contend: write a stamp. */
        WRITE,
        /** Contend: is the stamp still there? */
        CHECK,
        /** Renew, or confirm: is the lease still this client's? */
        RENEW_LOOK,
        RENEW_WRITE,
        RENEW_CHECK,
        /** Say that the lease is free. */
        RELEASE,
        /** What became of an earlier write decides how to say it. */
        RELEASE_LOOK
    }

    /** A holder's wish to hold on. */
    record Renewal(long requestId, long leaseNanos) {}

    /**
     * An access in flight.
     *
     * @param wrote what it puts into the register; null when it only reads
     */
    record Access(
            long id,
            Phase phase,
            Reading startedAt,
            @Nullable Attempt wrote) {}

    /**
     * A stamp that was sent to the register.
     *
     * @param request what it is for; null when it renews
     * @param startedAt before it was sent
     * @param holdNanos how long from then on the authority lasts that it may lead to
     * @param askedAt when the look that allowed it began
     * @param wishes what it fulfils
     */
    record Attempt(
            Stamp stamp,
            Content content,
            @Nullable AcquireRequest request,
            Reading startedAt,
            long holdNanos,
            Moment askedAt,
            List<Renewal> wishes) {

        Reading until() {
            return startedAt.plusNanos(holdNanos);
        }
    }

    /**
     * A stamp that says that the lease is free is to be written.
     *
     * @param token of the tenure that it ends
     * @param last what the register has if nothing came between
     * @param beginBy from when on it might wipe the next holder's; null: it compares
     */
    record Release(long token, Attempt last, @Nullable Moment beginBy) {}

    final String resource;
    final Seen seen;
    final ArrayDeque<AcquireRequest> requests = new ArrayDeque<>(2);
    final List<Renewal> renewals = new ArrayList<>(0);

    Phase phase = Phase.LOOK;
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
    /** It was granted to somebody who wants it no more. */
    boolean unwanted;

    int releases;

    Claim(String resource, Seen seen, Moment now) {
        this.resource = resource;
        this.seen = seen;
        this.nextAt = now;
    }

    boolean isIdle() {
        return requests.isEmpty() && access == null && attempt == null && tenure == null && release == null;
    }

    /** Whether an access in flight can change the register. */
    boolean isWriting() {
        return access != null && access.wrote() != null;
    }

    /** Whether it contends, and not only waits for another. */
    boolean isAsking() {
        return tenure == null && (access != null || attempt != null);
    }

    /** Whether there is more reason to renew than the time that has passed. */
    boolean isRenewalPressing() {
        return tenure != null && (!renewals.isEmpty() || tenure.suspect);
    }

    /** When the next access may begin at the earliest. */
    Moment beginAt() {
        return seen.quietUntil == null ? nextAt : Moment.later(nextAt, seen.quietUntil);
    }

    void next(Phase what, Moment at) {
        phase = what;
        nextAt = at;
    }

    /** What is in flight is not waited for any more; a write of it may have its effect yet. */
    void abandonAccess(StorageRules rules) {
        Access abandoned = access;
        if (abandoned != null && abandoned.wrote() != null) {
            seen.quietUntil = abandoned.startedAt().moment().plusNanos(rules.boundNanos());
        }
        access = null;
    }

    /** The earliest of all that this claim waits for; null when it waits for nothing. */
    @Nullable
    Moment earliest(StorageRules rules) {
        Moment earliest = null;
        Access open = access;
        if (open != null) {
            earliest = open.startedAt().moment().plusNanos(rules.accessNanos());
        } else if (attempt != null || release != null || (tenure == null && !requests.isEmpty())) {
            earliest = beginAt();
        } else if (tenure != null && tenure.isToBeRenewed(!renewals.isEmpty())) {
            earliest = Moment.later(beginAt(), isRenewalPressing() ? nextAt : tenure.renewAt);
        }
        if (tenure != null) {
            earliest = earlier(earliest, tenure.until.moment());
        }
        for (AcquireRequest request : requests) {
            if (request.giveUpAt() != null && !(isAsking() && request.equals(requests.peek()))) {
                earliest = earlier(earliest, request.giveUpAt());
            }
        }
        return earliest;
    }

    private static Moment earlier(@Nullable Moment a, Moment b) {
        return a == null ? b : Moment.earlier(a, b);
    }
}
