package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.TrackedResource;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import org.jspecify.annotations.Nullable;

/**
 * What a proposer knows of one resource: the attempt in flight and the tenure. At most one of {@code retryAt} and {@code attempt}
 * is set while there is no tenure.
 */
final class ResourceState extends TrackedResource {

    /** Written by {@link Counters} only, as the next. */
    Incarnation incarnation;
    /** The counter that was drawn last under this incarnation. */
    long lastCounter;
    /** What the next counter must be above, if the acceptors that were silent stay silent. */
    long learnt;

    int failures;
    /** How many attempts in a row, without a live lease in the way, some acceptor found too far ahead of its clock. */
    int clockFailures;
    /** Ballots of others came between: the next attempt prepares first (P8). */
    boolean contended;
    /** What acceptors have said of others that wait for what is held here. */
    @Nullable
    Wishes wishes;
    /** How often in a row the counter was raised to get into the queues. */
    int raises;

    /** The lease was given up here while others waited for it, with counters up to this: the next attempt comes after them. */
    long predecessorCounter;
    /** The counter of the first attempt since this node has wanted it; zero while it does not. */
    long enqueuedCounter;
    /** The attempt after which a request that asks once waits for the holder's word. */
    long askedBy;

    @Nullable
    Moment askUntil;

    /** Written by {@link Tenures} only. */
    @Nullable
    Tenure tenure;

    @Nullable
    Attempt attempt;

    /** What was abandoned behind a holder, while some acceptors had not answered; null when nothing is to be heard of it. */
    @Nullable
    Attempt awaited;

    @Nullable
    Moment awaitedUntil;

    /** Acceptors have said when to ask again, as others come first. */
    boolean benched;

    @Nullable
    Moment retryAt;
    /** Others come first until then: this node has just given the resource up, and they waited. */
    @Nullable
    Moment yieldUntil;
    /** It has just been given up while others were queued: until then it is remembered whom the next request comes after. */
    @Nullable
    Moment followsUntil;
    /** What it is renewed with; null when it goes by itself. */
    @Nullable
    RenewalBatch batch;

    int placeInBatch;
    /** The last answer that named another holder, and when it came: a hint. */
    @Nullable
    Held lastHeld;

    @Nullable
    Moment lastHeldAt;

    ResourceState(String resource, Incarnation incarnation) {
        super(resource);
        this.incarnation = incarnation;
    }

    void forgetAwaited() {
        awaited = null;
        awaitedUntil = null;
    }

    /** The first request has gone, or has its lease. */
    void turnsToNextRequest() {
        enqueuedCounter = 0;
        raises = 0;
        askUntil = null;
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
        return tenure == null
                && attempt == null
                && awaited == null
                && requests.isEmpty()
                && yieldUntil == null
                && followsUntil == null;
    }

    @Override
    @Nullable
    protected Moment giveUpFirstAt(Moment limit) {
        return tenure != null || attempt == null ? limit : leavingTimeToAsk(limit, attempt.startedAt());
    }

    /** The earliest of all that is waited for, apart from the limits of requests; null when it waits for nothing. */
    @Nullable
    Moment earliest() {
        Moment earliest = Moment.earliest(retryAt, Moment.earliest(yieldUntil, followsUntil));
        earliest = Moment.earliest(earliest, awaitedUntil);
        if (attempt != null) {
            earliest = Moment.earliest(earliest, attempt.hints.timeout);
        }
        if (tenure != null && batch == null) {
            earliest = Moment.earliest(earliest, tenure.until().moment());
            if (tenure.isRenewed() && attempt == null && retryAt == null) {
                earliest = Moment.earliest(earliest, tenure.renewAt());
            }
        }
        return earliest;
    }
}
