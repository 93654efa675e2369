package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.Attempt.Kind;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;

/** GetLease: the transitions of one {@link ResourceState}. An attempt reads, decides by what it has read, and writes. */
final class AttemptDriver {

    /** How often a request that asks once tries again when only another's round, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    private final ProposerContext context;
    private final WriterIdentity life;
    private final Quorum quorum;
    private final TimeRules bound;
    private final MajorityCache knowledge;
    private final Backoff backoff;
    private final EffectBuffer out;

    AttemptDriver(ProposerContext context, MajorityCache knowledge) {
        this.context = context;
        this.life = context.life();
        this.quorum = context.quorum();
        this.bound = context.bound();
        this.knowledge = knowledge;
        this.backoff = context.backoff();
        this.out = context.out();
    }

    void startWhatIsDue(ResourceState state, Reading now) {
        if (state.attempt != null || isWaiting(state, now)) {
            return;
        }
        Tenure tenure = state.tenure;
        if (tenure != null) {
            renewIfDue(state, tenure, now);
        } else if (state.unusedUntil != null && (state.yields || state.requests.isEmpty())) {
            begin(state, Kind.RELEASE, bound.micros() * 1_000, Interest.NONE, now);
        } else if (!state.requests.isEmpty()) {
            AcquireRequest first = state.requests.getFirst();
            Interest interest = first.waitMode() == WaitMode.TRY_ONCE ? Interest.ONCE : Interest.WAITS;
            begin(state, Kind.ACQUIRE, first.leaseNanos(), interest, now);
        }
    }

    private static boolean isWaiting(ResourceState state, Reading now) {
        boolean backsOff = state.retryAt != null && now.moment().isBefore(state.retryAt);
        boolean yields = state.yieldUntil != null && now.moment().isBefore(state.yieldUntil);
        return backsOff || yields || state.askUntil != null;
    }

    private void renewIfDue(ResourceState state, Tenure tenure, Reading now) {
        if (!state.renewals.isEmpty()) {
            long longest = state.longestRenewal();
            begin(state, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), Interest.NONE, now);
        } else if (tenure.isDue(now)) {
            begin(state, Kind.RENEW, tenure.leaseNanos, Interest.NONE, now);
        }
    }

    /** Step 1: read. */
    private void begin(ResourceState state, Kind kind, long leaseNanos, Interest interest, Reading now) {
        Round round = life.nextRound(state, now);
        Attempt attempt =
                new Attempt(life.nextAttempt(), kind, round, leaseNanos, quorum, now, Backoff.round(leaseNanos));
        if (kind == Kind.RENEW) {
            attempt.renewals.addAll(state.renewals);
            state.renewals.clear();
        }
        state.attempt = attempt;
        state.retryAt = null;
        state.yieldUntil = null;
        context.broadcast(new FleaseMessage.Read(state.resource, round, attempt.id, interest));
    }

    /** Another acceptor agreed. */
    void onAgreement(ResourceState state, Attempt attempt, NodeId from, FleaseMessage.Reply reply, Reading now) {
        boolean absurd = reply instanceof FleaseMessage.ReadAck ack
                && !from.equals(life.self())
                && bound.isAbsurd(ack.stored().value(), now);
        if (absurd || attempt.hasMajority() || !attempt.agreed(from)) {
            return;
        }
        if (reply instanceof FleaseMessage.ReadAck ack) {
            attempt.read(ack.stored());
        }
        if (!attempt.hasMajority()) {
            return;
        }
        if (attempt.phase == Attempt.Phase.READING) {
            decide(state, attempt, now);
        } else {
            knowledge.learn(state.resource, new Stored(attempt.round, attempt.proposed()));
            commit(state, attempt, now);
        }
    }

    private void decide(ResourceState state, Attempt attempt, Reading now) {
        if (attempt.isLatestDecided() && !attempt.latest().written().equals(Round.NONE)) {
            knowledge.learn(state.resource, attempt.latest());
        }
        Value latest = attempt.latest().value();
        switch (attempt.kind) {
            case ACQUIRE -> decideAcquire(state, attempt, latest, now);
            case RENEW -> decideRenew(state, attempt, latest, now);
            case RELEASE -> decideRelease(state, attempt, latest, now);
        }
    }

    private void decideAcquire(ResourceState state, Attempt attempt, Value latest, Reading now) {
        if (mayTake(latest, attempt.startedAt)) {
            write(state, attempt, life.newTenure(latest, attempt.leaseNanos, now), now);
            state.unusedUntil = attempt.until().moment();
        } else if (attempt.isLatestDecided() || hasEnded(latest, now)) {
            onHeldByOther(state, attempt, latest, now);
        } else {
            write(state, attempt, latest, now); // another's lease as it is, so that a majority has what was read
        }
    }

    /**
     * Step 3. A value of this node's own that nothing here relies on is not in the way. What has ended was over before the read
     * began, so its round is above every one in which its owner may have released it: see {@link Proposer#releaseAtOnce}.
     */
    private boolean mayTake(Value latest, Reading began) {
        return latest.isEmpty() || latest.isOf(life.incarnation()) || bound.isOver(latest, began);
    }

    /** By this clock; by the owner's perhaps not yet. */
    private static boolean hasEnded(Value value, Reading now) {
        return now.wallMicros() >= value.endMicros();
    }

    private void decideRenew(ResourceState state, Attempt attempt, Value latest, Reading now) {
        Tenure tenure = state.tenure;
        if (tenure == null) {
            state.attempt = null;
        } else if (latest.isOf(life.incarnation()) && latest.token() == tenure.token) {
            long endMicros = Math.max(latest.endMicros(), WriterIdentity.endOf(attempt.leaseNanos, now));
            write(state, attempt, new Value(latest.owner(), endMicros, latest.token()), now);
        } else {
            state.disown(Loss.CLOCK); // nothing else can have put another value in its place
        }
    }

    private void decideRelease(ResourceState state, Attempt attempt, Value latest, Reading now) {
        // It is empty where an attempt of this release that failed has written it: then a majority has to have that.
        if (latest.isEmpty() || latest.isOf(life.incarnation())) {
            write(state, attempt, latest.released(), now);
        } else {
            state.attempt = null;
            state.unusedUntil = null;
            state.yields = false;
        }
    }

    /** Step 4. */
    private void write(ResourceState state, Attempt attempt, Value value, Reading now) {
        attempt.startWriting(value, now, Backoff.round(attempt.leaseNanos));
        context.broadcast(new FleaseMessage.Write(state.resource, attempt.round, attempt.id, value));
    }

    private void commit(ResourceState state, Attempt attempt, Reading now) {
        switch (attempt.kind) {
            case ACQUIRE -> commitAcquire(state, attempt, now);
            case RENEW -> commitRenew(state, attempt);
            case RELEASE -> commitRelease(state, now);
        }
    }

    private void commitAcquire(ResourceState state, Attempt attempt, Reading now) {
        if (!attempt.proposed().isOf(life.incarnation())) {
            onHeldByOther(state, attempt, attempt.proposed(), now);
            return;
        }
        AcquireRequest request = state.requests.getFirst();
        Tenure tenure = new Tenure(attempt, request.renewed());
        if (tenure.isOver(now)) {
            fail(state, attempt, now);
            return;
        }
        Invariants.check(state.tenure == null, "one tenure at a time", state.resource);
        state.requests.remove();
        state.attempt = null;
        state.tenure = tenure;
        state.unusedUntil = null;
        state.held = Value.NOTHING;
        state.turnsToNextRequest();
        life.used(tenure.token);
        out.emit(new Effect.Granted(
                request.id(), state.resource, tenure.token, tenure.until, attempt.startedAt.moment()));
        tellIfWanted(state, tenure, now);
    }

    private void tellIfWanted(ResourceState state, Tenure tenure, Reading now) {
        if (!state.requests.isEmpty()
                || !context.waitList().all(state.resource, now.moment()).isEmpty()) {
            out.emit(new Effect.Wanted(state.resource, tenure.token));
        }
    }

    /** Step 2, and the outcome of step 4 for another's lease: it may be taken when the bound has passed after its end. */
    private void onHeldByOther(ResourceState state, Attempt attempt, Value held, Reading now) {
        state.attempt = null;
        state.failures = 0;
        state.held = held;
        state.unusedUntil = null;
        AcquireRequest first = state.requests.getFirst();
        if (attempt.freed) {
            state.retryAt = now.moment().plusNanos(backoff.afterReachable());
        } else if (first.waitMode() == WaitMode.WAIT) {
            long wait = (bound.freeAt(held) - now.wallMicros()) * 1_000;
            state.retryAt = now.moment().plusNanos(backoff.untilFree(wait, attempt.leaseNanos));
        } else if (hasEnded(held, now)
                || state.isKnownToBeInUse()
                || context.absent().contains(state.holder())) {
            state.deny(first, Denial.HELD);
        } else {
            state.askUntil = now.moment().plusNanos(Proposer.TIME_TO_HEAR);
        }
    }

    /** The register is empty. */
    private void commitRelease(ResourceState state, Reading now) {
        state.attempt = null;
        state.unusedUntil = null;
        state.failures = 0;
        int waiting = context.waitList().tellFreed(state.resource, 0, now.moment(), out);
        if (state.yields && waiting > 0) {
            state.yieldUntil = now.moment().plusNanos(backoff.afterRelease(waiting));
        }
        state.yields = false;
    }

    /** The old end has not come: {@link ResourceState#expire} comes before every handler. */
    private void commitRenew(ResourceState state, Attempt attempt) {
        state.attempt = null;
        state.failures = 0;
        Tenure tenure = state.tenure;
        if (tenure != null) {
            tenure.extend(attempt);
            out.emit(new Effect.Extended(state.resource, tenure.token, tenure.until, attempt.startedAt.moment()));
            attempt.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
        }
    }

    /** What was written may have been written: nothing is held, and it is respected. */
    void fail(ResourceState state, Attempt attempt, Reading now) {
        boolean duel = attempt.wasRefused();
        state.abandonAttempt();
        if (!bound.isTooFarAhead(attempt.highest, now)) {
            state.learnt = Round.later(state.learnt, attempt.highest);
        }
        state.failures++;
        state.yields = false;
        AcquireRequest first = state.requests.peek();
        boolean last = attempt.kind == Kind.ACQUIRE && !(duel && state.failures <= DUELS_OF_ONE_REQUEST);
        if (last && first != null && first.waitMode() == WaitMode.TRY_ONCE) {
            state.deny(first, duel ? Denial.CONTENDED : Denial.NO_MAJORITY);
            return;
        }
        state.retryAt = now.moment()
                .plusNanos(
                        duel
                                ? backoff.afterDuel(state.failures, attempt.leaseNanos)
                                : backoff.afterSilence(state.failures, attempt.leaseNanos));
    }
}
