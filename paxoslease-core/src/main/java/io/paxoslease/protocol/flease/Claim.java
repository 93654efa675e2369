package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What this node wants of one resource, and holds of it. */
final class Claim extends Timed {

    /** A holder's wish to hold on. */
    record Renewal(long requestId, long leaseNanos) {}

    private static final long TIME_TO_ASK = 20_000_000;

    final String resource;
    final ArrayDeque<AcquireRequest> requests = new ArrayDeque<>(2);
    final List<Renewal> renewals = new ArrayList<>(0);

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
    /** The register may hold a value of this node's that nobody here relies on, until then; null when it does not. */
    @Nullable
    Moment unusedUntil;
    /** It is released before anybody here asks again. */
    boolean yields;
    /** Whoever asks once waits until then for the holder's word. */
    @Nullable
    Moment askUntil;
    /** The tenure whose holder said that it is in use. */
    long inUse;
    /** The other holder that was learnt of last. */
    Value held = Value.NOTHING;

    Claim(String resource) {
        this.resource = resource;
    }

    boolean isIdle() {
        return tenure == null && attempt == null && requests.isEmpty() && yieldUntil == null && unusedUntil == null;
    }

    @Nullable
    NodeId holder() {
        Value.Owner owner = held.owner();
        return owner == null ? null : owner.node();
    }

    /** The one that was asked for has gone, or has what it wanted. */
    void turnsToNextRequest() {
        askUntil = null;
        inUse = 0;
        failures = 0;
    }

    /** A limit on the wait leaves time to ask, so that a free lease is granted however short the wait. */
    @Nullable
    Moment giveUpAt(AcquireRequest request) {
        Moment limit = request.giveUpAt();
        boolean asking = tenure == null && attempt != null && request.equals(requests.peek());
        return limit == null || attempt == null || !asking
                ? limit
                : Moment.later(limit, attempt.startedAt.moment().plusNanos(TIME_TO_ASK));
    }

    /** The earliest of all that this claim waits for; null when it waits for nothing. */
    @Nullable
    Moment earliest(boolean serving) {
        Moment earliest = attempt == null ? unusedUntil : null;
        if (yieldUntil != null) {
            earliest = earlier(earliest, yieldUntil);
        }
        if (retryAt != null && serving) {
            earliest = earlier(earliest, retryAt);
        }
        if (askUntil != null) {
            earliest = earlier(earliest, askUntil);
        }
        if (attempt != null) {
            earliest = earlier(earliest, attempt.timeout);
        }
        if (tenure != null) {
            earliest = earlier(earliest, tenure.until().moment());
            if (tenure.renewed && attempt == null && retryAt == null) {
                earliest = earlier(earliest, tenure.renewAt());
            }
        }
        for (AcquireRequest request : requests) {
            Moment giveUpAt = giveUpAt(request);
            if (giveUpAt != null) {
                earliest = earlier(earliest, giveUpAt);
            }
        }
        return earliest;
    }

    private static Moment earlier(@Nullable Moment a, Moment b) {
        return a == null ? b : Moment.earlier(a, b);
    }
}
