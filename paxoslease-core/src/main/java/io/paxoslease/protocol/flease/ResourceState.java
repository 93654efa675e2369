package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
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

    ResourceState(String resource) {
        super(resource);
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
            earliest = Moment.earliest(earliest, tenure.until().moment());
            if (tenure.renewed && attempt == null && retryAt == null) {
                earliest = Moment.earliest(earliest, tenure.renewAt());
            }
        }
        return earliest;
    }
}
