package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.Claim.Access;
import io.paxoslease.protocol.storage.Claim.Attempt;
import io.paxoslease.protocol.storage.Claim.Phase;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a client comes to hold a lease. It looks until the lease is free: never held, released, or the same stamp for as long as
 * its owner may rely on it and a renewal takes. Then it puts a stamp of its own into the register. By compare-and-set that decides;
 * by a mere write, the client waits until everybody has written who had looked before, and holds if its stamp is there yet.
 */
final class Contender {

    private final Accesses accesses;
    private final StorageRules rules;

    Contender(Accesses accesses) {
        this.accesses = accesses;
        this.rules = accesses.rules;
    }

    void begin(Claim claim, Reading now) {
        accesses.read(claim, claim.attempt == null ? Phase.LOOK : Phase.CHECK, now);
    }

    /** The register was read; what it has is noted already. */
    void looked(Claim claim, Access access, @Nullable Content content, Reading now) {
        AcquireRequest request = claim.requests.peek();
        if (request == null) {
            return;
        }
        Moment lookedAt = access.startedAt().moment();
        Moment allowedAt = rules.compares() ? now.moment() : lookedAt;
        if (isFree(claim, request, allowedAt)) {
            Attempt attempt = accesses.newTenure(claim, request, lookedAt, now);
            // From the beginning of the look to the end of the write must take less than what everybody waits after a
            // write.
            Moment latest = allowedAt.plusNanos(rules.accessNanos());
            claim.phase = Phase.WRITE;
            accesses.put(claim, Phase.WRITE, attempt, content, latest, now);
        } else {
            denyAskers(claim, Denial.HELD);
            long free = Math.max(0, claim.seen.waitNanos(rules, now.moment()));
            claim.next(Phase.LOOK, now.moment().plusNanos(Math.min(free, accesses.pollNanos())));
        }
    }

    private boolean isFree(Claim claim, AcquireRequest request, Moment allowedAt) {
        Stamp stamp = claim.seen.stamp();
        boolean own = rules.compares() && stamp != null && stamp.isOwnedBy(accesses.incarnation());
        boolean joins = request.shared() && stamp != null && rules.joins(stamp);
        return own || joins || claim.seen.waitNanos(rules, allowedAt) <= 0;
    }

    void written(Claim claim, Attempt attempt, boolean replaced, Reading now) {
        if (!rules.compares()) {
            claim.attempt = attempt;
            claim.next(Phase.CHECK, now.moment().plusNanos(rules.settleNanos()));
        } else if (replaced) {
            grant(claim, attempt, attempt.stamp().token(), now);
        } else {
            claim.next(Phase.LOOK, now.moment());
        }
    }

    void checked(Claim claim, Attempt attempt, Access access, @Nullable Content content, Reading now) {
        claim.attempt = null;
        if (holds(claim, attempt, content)) {
            grant(claim, attempt, attempt.stamp().token(), now);
        } else {
            looked(claim, access, content, now);
        }
    }

    /**
     * Whether the stamp has stood. The one of a reader who joined the same readers does as well: each of them found one of these
     * there, so no writer can have held in between. Readers who began anew may have come after a writer. What stands is not below
     * the own sequence number, or the next writer's token might be.
     */
    boolean holds(Claim claim, Attempt attempt, @Nullable Content content) {
        Stamp stamp = claim.seen.stamp();
        return Objects.equals(content, attempt.content())
                || (stamp != null
                        && shareWith(attempt.stamp(), stamp)
                        && stamp.sequence() >= attempt.stamp().sequence());
    }

    boolean shareWith(Stamp own, Stamp found) {
        return own.isShared() && rules.joins(found) && own.readers().equals(found.readers());
    }

    /** Too late is like not at all: the stamp stays, and is waited for. */
    private void grant(Claim claim, Attempt attempt, long token, Reading now) {
        AcquireRequest request = attempt.request();
        if (request == null || !now.moment().isBefore(attempt.until().moment())) {
            claim.next(Phase.LOOK, now.moment());
            return;
        }
        Reading whole = now.plusNanos(request.leaseNanos());
        Reading until = attempt.until().moment().isBefore(whole.moment()) ? attempt.until() : whole;
        Tenure tenure = new Tenure(attempt, token, until, request.leaseNanos(), request.renewed());
        claim.tenure = tenure;
        claim.doubt = false;
        claim.seen.granted(rules, now.moment());
        claim.next(Phase.RENEW_WRITE, now.moment());
        if (claim.requests.remove(request)) {
            accesses.emit(
                    new Effect.Granted(request.id(), claim.resource, tenure.token, tenure.until, attempt.askedAt()));
        } else {
            claim.unwanted = true;
        }
    }

    void failed(Claim claim, Phase phase, Reading now) {
        Attempt attempt = claim.attempt;
        Moment again = now.moment().plusNanos(accesses.pollNanos());
        if (phase == Phase.CHECK
                && attempt != null
                && again.isBefore(attempt.until().moment())) {
            claim.next(Phase.CHECK, again);
            return;
        }
        claim.attempt = null;
        claim.next(Phase.LOOK, again);
        denyAskers(claim, Denial.NO_STORE);
    }

    /** Whoever asks once has the answer. */
    void denyAskers(Claim claim, Denial reason) {
        for (AcquireRequest request : List.copyOf(claim.requests)) {
            if (request.patience() == Patience.ASK_ONCE) {
                deny(claim, request, reason);
            }
        }
    }

    void denyAll(Claim claim, Denial reason) {
        List.copyOf(claim.requests).forEach(request -> deny(claim, request, reason));
    }

    void deny(Claim claim, AcquireRequest request, Denial reason) {
        claim.requests.remove(request);
        accesses.emit(new Effect.Denied(request.id(), claim.resource, reason, holder(claim)));
    }

    private @Nullable NodeId holder(Claim claim) {
        Stamp stamp = claim.seen.stamp();
        if (claim.tenure != null) {
            return accesses.self;
        }
        return stamp == null || stamp.isReleased() ? null : stamp.owner();
    }
}
