package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.ResourceState.Access;
import io.paxoslease.protocol.storage.ResourceState.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * How a client comes to hold a lease. It looks until the lease is free: never held, released, or the same stamp for as long as
 * its owner may rely on it and a renewal takes. Then it puts a stamp of its own into the register. By compare-and-set that decides;
 * by a mere write, the client waits until every client that had looked before has written, and holds if its stamp is still there.
 */
final class AcquireFlow {

    private final Accesses accesses;
    private final RenewFlow renewFlow;
    private final StorageRules rules;

    AcquireFlow(Accesses accesses, RenewFlow renewFlow) {
        this.accesses = accesses;
        this.renewFlow = renewFlow;
        this.rules = accesses.rules;
    }

    /** The register was read; what it has is noted already. */
    void looked(ResourceState state, Access access, @Nullable Content content, Reading now) {
        AcquireRequest request = state.requests.peek();
        if (request == null) {
            return;
        }
        Moment lookedAt = access.startedAt().moment();
        Moment allowedAt = rules.compares() ? now.moment() : lookedAt;
        if (isFree(state, request, allowedAt)) {
            Attempt attempt = accesses.newTenure(state, request, lookedAt, now);
            // From the beginning of the look to the end of the write must take less than every client waits after a
            // write.
            Moment latest = allowedAt.plusNanos(rules.accessNanos());
            accesses.put(state, attempt, content, latest, now);
        } else if (state.seen.wantsReleaseLook(rules, now.moment())) {
            state.nextAt = now.moment();
        } else {
            waitForOthers(state, now);
        }
    }

    /** The next access: a look at the register, or at the release record while the register says that the lease is held. */
    void begin(ResourceState state, Reading now) {
        if (state.attempt == null && state.seen.wantsReleaseLook(rules, now.moment())) {
            accesses.readRelease(state, now);
        } else {
            accesses.read(state, now);
        }
    }

    /** The release record was read; what it has is noted already. Whether the lease is free, the register alone tells. */
    void lookedAtRelease(ResourceState state, boolean changed, Reading now) {
        if (waitNanos(state, now.moment()) <= 0) {
            state.nextAt = now.moment();
        } else if (changed && !state.seen.hasJustLooked()) {
            state.seen.wantsLook();
            state.nextAt = now.moment();
        } else {
            waitForOthers(state, now);
        }
    }

    private void waitForOthers(ResourceState state, Reading now) {
        boolean suspended = accesses.suspension.leftNanos(now.moment()) > 0;
        denyAskingOnce(state, suspended ? Denial.RESTORED : Denial.HELD);
        long free = Math.max(0, waitNanos(state, now.moment()));
        state.nextAt = now.moment().plusNanos(Math.min(free, accesses.pollNanos()));
    }

    private long waitNanos(ResourceState state, Moment now) {
        return Math.max(state.seen.waitNanos(rules, now), accesses.suspension.leftNanos(now));
    }

    private boolean isFree(ResourceState state, AcquireRequest request, Moment allowedAt) {
        if (accesses.suspension.leftNanos(allowedAt) > 0 || state.seen.closedNanos(allowedAt) > 0) {
            return false;
        }
        Stamp stamp = state.seen.stamp();
        boolean own = rules.compares() && stamp != null && stamp.isOwnedBy(accesses.incarnation());
        boolean joins = request.shared() && stamp != null && rules.joins(stamp);
        return own || joins || state.seen.waitNanos(rules, allowedAt) <= 0;
    }

    void written(ResourceState state, Attempt attempt, boolean replaced, Reading now) {
        if (!rules.compares()) {
            state.attempt = attempt;
            state.nextAt = now.moment().plusNanos(rules.settleNanos());
        } else if (replaced) {
            grant(state, attempt, now);
        } else {
            state.nextAt = now.moment();
        }
    }

    void checked(ResourceState state, Attempt attempt, Access access, @Nullable Content content, Reading now) {
        state.attempt = null;
        if (attempt.stands(rules, state.seen.stamp(), content)) {
            grant(state, attempt, now);
        } else {
            looked(state, access, content, now);
        }
    }

    /** Too late is like not at all: the stamp stays, and is waited for. */
    private void grant(ResourceState state, Attempt attempt, Reading now) {
        AcquireRequest request = attempt.request();
        if (request == null || !now.moment().isBefore(attempt.until().moment())) {
            state.nextAt = now.moment();
            return;
        }
        Reading whole = now.plusNanos(request.leaseNanos());
        Reading until = attempt.until().moment().isBefore(whole.moment()) ? attempt.until() : whole;
        Tenure tenure = new Tenure(attempt, until, request);
        state.tenure = tenure;
        state.doubt = false;
        state.seen.granted(rules, attempt, now.moment());
        state.nextAt = now.moment();
        if (state.requests.remove(request)) {
            accesses.emit(
                    new Effect.Granted(request.id(), state.resource, tenure.token, tenure.until, attempt.askedAt()));
        } else {
            renewFlow.giveUp(state, tenure, now); // it was withdrawn
        }
    }

    void failed(ResourceState state, Reading now) {
        Attempt attempt = state.attempt;
        Moment again = now.moment().plusNanos(accesses.pollNanos());
        state.seen.wantsLook();
        state.nextAt = again;
        if (attempt == null || !again.isBefore(attempt.until().moment())) {
            state.attempt = null;
            denyAskingOnce(state, Denial.NO_STORE);
        }
    }

    /** Requests that ask once have their answer. */
    private void denyAskingOnce(ResourceState state, Denial reason) {
        state.requests.askingOnce().forEach(request -> deny(state, request, reason));
    }

    void deny(ResourceState state, AcquireRequest request, Denial reason) {
        state.requests.remove(request);
        accesses.emit(new Effect.Denied(request.id(), state.resource, reason, holder(state)));
    }

    private @Nullable NodeId holder(ResourceState state) {
        Stamp stamp = state.seen.stamp();
        if (state.tenure != null) {
            return accesses.self;
        }
        return stamp == null || stamp.isReleased() ? null : stamp.owner();
    }
}
