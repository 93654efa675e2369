package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TrackedResource;
import org.jspecify.annotations.Nullable;

/** What this node knows of one resource: the attempt in flight and the tenure. */
final class ResourceState extends TrackedResource {

    /** What the next round must be above, as refusals said. */
    Round learnt = Round.NONE;

    int failures;

    @Nullable
    Tenure tenure;

    @Nullable
    Attempt attempt;

    @Nullable
    Moment retryAt;
    /** Others come first until then: this node has just given the resource up, and they waited. */
    @Nullable
    Moment yieldUntil;
    /** The register may hold a value of this node's that nothing here relies on, until then; null when it does not. */
    @Nullable
    Moment unusedUntil;
    /** It is released before this node asks again. */
    boolean yields;
    /** A request that asks once waits until then for the holder's word. */
    @Nullable
    Moment askUntil;
    /** The tenure whose holder said that it is in use. */
    long inUse;
    /** The other holder that was learnt of last. */
    Value held = Value.NOTHING;

    private final ProposerContext context;

    ResourceState(String resource, ProposerContext context) {
        super(resource);
        this.context = context;
    }

    @Override
    protected boolean isHeld() {
        return tenure != null;
    }

    @Override
    protected long token() {
        return tenure == null ? 0 : tenure.token;
    }

    @Override
    protected boolean isIdle() {
        return tenure == null && attempt == null && requests.isEmpty() && yieldUntil == null && unusedUntil == null;
    }

    @Override
    @Nullable
    protected Moment giveUpFirstAt(Moment limit) {
        return tenure != null || attempt == null ? limit : leavingTimeToAsk(limit, attempt.startedAt.moment());
    }

    @Nullable
    NodeId holder() {
        Value.Owner owner = held.owner();
        return owner == null ? null : owner.node();
    }

    boolean isKnownToBeInUse() {
        return inUse == held.token() && inUse != 0;
    }

    /** The owner stops by its own clocks. */
    void expire(Reading now) {
        if (tenure != null && tenure.isOver(now)) {
            disown(Loss.EXPIRED);
        }
    }

    void disown(Loss reason) {
        Tenure lost = tenure;
        if (lost != null) {
            endTenure();
            context.out().emit(new Effect.Lost(resource, lost.token, reason));
        }
    }

    /** Ends what is held, and what is under way to hold on. */
    void endTenure() {
        tenure = null;
        retryAt = null;
        failures = 0;
        abandonAttempt();
        failRenewals(context.out());
    }

    void abandonAttempt() {
        if (attempt != null) {
            renewals.addAll(attempt.renewals);
            attempt = null;
        }
    }

    /** Also removes it, and what is under way for it. */
    void deny(AcquireRequest request, Denial reason) {
        NodeId owner = tenure != null ? context.life().self() : holder();
        boolean isHeld = reason == Denial.HELD || reason == Denial.TIMED_OUT;
        removeRequest(request);
        context.out().emit(new Effect.Denied(request.id(), resource, reason, isHeld ? owner : null));
    }

    void removeRequest(AcquireRequest request) {
        boolean first = request.equals(requests.peek());
        requests.remove(request);
        if (first && tenure == null) {
            turnsToNextRequest();
            retryAt = null;
            if (attempt != null && attempt.kind == Attempt.Kind.ACQUIRE) {
                abandonAttempt();
            }
        }
    }

    /** The first request has gone, or has its lease. */
    void turnsToNextRequest() {
        askUntil = null;
        inUse = 0;
        failures = 0;
    }

    /** The earliest of all that is waited for, apart from the limits of requests; null when it waits for nothing. */
    @Nullable
    Moment earliest(boolean serving) {
        Moment earliest = Moment.earliest(yieldUntil, askUntil);
        earliest = Moment.earliest(earliest, attempt == null ? unusedUntil : attempt.timeout);
        if (serving) {
            earliest = Moment.earliest(earliest, retryAt);
        }
        if (tenure != null) {
            earliest = Moment.earliest(earliest, tenure.until.moment());
            if (tenure.renewed && attempt == null && retryAt == null) {
                earliest = Moment.earliest(earliest, tenure.renewAt);
            }
        }
        return earliest;
    }
}
