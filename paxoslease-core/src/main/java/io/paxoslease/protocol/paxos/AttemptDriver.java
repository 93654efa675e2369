package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.paxos.Attempt.Kind;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Drives attempts (P1 to P5, P8): one begins, gathers a majority and makes or extends a tenure, or fails and is abandoned. */
final class AttemptDriver {

    private final ProposerContext context;
    private final CounterAdvice counters;
    private final Backoff backoff;
    private final EffectBuffer out;
    private final QueueAdvice queue;
    private final RenewalBatches batches;
    private final Tenures tenures;
    private final Denials denials;
    private final Set<NodeId> unreachable = new LinkedHashSet<>();
    private final Confirmations confirming = new Confirmations();
    private long attempts;

    AttemptDriver(ProposerContext context, Timers timers, BiConsumer<ResourceState, Reading> settler) {
        this.context = context;
        this.counters = context.counters();
        this.backoff = context.backoff();
        this.out = context.out();
        this.queue = new QueueAdvice(context);
        this.batches = new RenewalBatches(context, timers, settler, () -> ++attempts);
        this.tenures = new Tenures(context, batches);
        this.denials = new Denials(context, queue, tenures);
    }

    RenewalBatches batches() {
        return batches;
    }

    Tenures tenures() {
        return tenures;
    }

    Denials denials() {
        return denials;
    }

    /** The resource whose confirming attempt that is; null when it is over. */
    @Nullable
    ResourceState confirming(long attempt) {
        return confirming.of(attempt);
    }

    void startWhatIsDue(ResourceState state, Reading now) {
        boolean backingOff = (state.retryAt != null && now.moment().isBefore(state.retryAt))
                || (state.yieldUntil != null && now.moment().isBefore(state.yieldUntil));
        if (state.attempt != null || backingOff) {
            return;
        }
        Tenure tenure = state.tenure;
        if (tenure == null) {
            if (state.requests.isEmpty()) {
                state.retryAt = null;
            } else {
                begin(state, Kind.ACQUIRE, state.requests.getFirst().leaseNanos(), now);
            }
        } else if (tenure.suspect) {
            begin(state, Kind.CONFIRM, tenure.leaseNanos, now);
        } else if (!state.renewals.isEmpty()) {
            long longest = state.longestRenewal();
            begin(state, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), now);
        } else if (tenure.isDue(now) && state.batch == null) {
            if (tenure.needsRepropose) {
                begin(state, Kind.RENEW, tenure.leaseNanos, now);
            } else {
                batches.join(state, tenure, now);
            }
        }
    }

    private void begin(ResourceState state, Kind kind, long leaseNanos, Reading now) {
        begin(state, kind, leaseNanos, null, now);
    }

    /** P1: the deadline is fixed before anything is sent, and a new deadline means a new attempt. */
    private void begin(ResourceState state, Kind kind, long wanted, @Nullable AcceptorSet leftOut, Reading now) {
        Tenure tenure = state.tenure;
        long leaseNanos = Math.min(wanted, context.generations().maxLeaseNanos());
        Invariants.check((kind == Kind.ACQUIRE) == (tenure == null), "one tenure at a time", state.resource);
        batches.leave(state);
        if (kind == Kind.ACQUIRE) {
            long seen = context.here().highestSeen(state.resource, now);
            counters.learn(state, Math.max(seen, state.predecessorCounter), false, now);
        }
        long counter = kind == Kind.CONFIRM && tenure != null ? tenure.counter : counters.next(state, now);
        Ballot ballot = new Ballot(counter, state.incarnation);
        boolean prepares = kind == Kind.ACQUIRE && state.contended;
        Moment timeout = now.moment().plusNanos(Backoff.round(leaseNanos));
        Attempt attempt = new Attempt(
                ++attempts, kind, prepares, state.resource, ballot, leaseNanos, context.quorum(), now, timeout);
        if (kind == Kind.RENEW) {
            attempt.hints.renewals.addAll(state.renewals);
            state.renewals.clear();
        }
        state.attempt = attempt;
        state.retryAt = null;
        state.yieldUntil = null;
        state.benched = false;
        state.followsUntil = null; // the attempt knows now whom it follows
        state.forgetAwaited(); // what is accepted of it is renewed, or released with this attempt
        attempt.hints.areUnreachable(unreachable);
        if (leftOut != null) {
            attempt.hints.leaveOut(leftOut);
        }
        switch (kind) {
            case ACQUIRE -> {
                queue.begin(state, attempt, now);
                PaxosMessage request = prepares ? attempt.prepare() : QueueAdvice.proposal(state, attempt);
                context.send(request, acceptor -> !attempt.hints.leftOut.contains(acceptor));
            }
            case RENEW -> context.broadcast(attempt.propose(QueueMode.NONE, counter, 0));
            case CONFIRM -> {
                confirming.add(attempt.id, state);
                context.broadcast(attempt.confirm());
            }
        }
    }

    /**
     * P2, P3: another acceptor agreed.
     *
     * @param kept whether it had kept what was proposed
     */
    void onAgreement(ResourceState state, Attempt attempt, boolean kept, Reading now) {
        queue.onAgreement(state, attempt, kept, now);
        if (!attempt.hasQuorumBeforeDeadline(now)) {
            return;
        }
        if (attempt.phase() == Attempt.Phase.PREPARING) {
            attempt.startProposing();
            attempt.hints.askAnew(now.moment().plusNanos(Backoff.round(attempt.leaseNanos)));
            context.broadcast(QueueAdvice.proposal(state, attempt));
        } else {
            activate(state, attempt, now);
        }
    }

    private void activate(ResourceState state, Attempt attempt, Reading now) {
        state.attempt = null;
        state.failures = 0;
        state.clockFailures = 0;
        if (attempt.kind == Kind.ACQUIRE) {
            grant(state, attempt, now);
        } else if (state.tenure != null) {
            tenures.extend(state, state.tenure, attempt, now);
            attempt.hints.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
            if (attempt.hints.wanted) {
                out.emit(new Effect.Wanted(state.resource, state.tenure.token));
            }
        }
    }

    private void grant(ResourceState state, Attempt attempt, Reading now) {
        AcquireRequest request = state.requests.remove();
        Moment askedAt = attempt.hints.movedAt == null ? attempt.startedAt() : attempt.hints.movedAt;
        Tenure tenure = tenures.begin(state, attempt, request, askedAt, now);
        state.lastHeld = null;
        state.contended = false;
        state.turnsToNextRequest();
        if (!request.renewed() && attempt.hints.queued) {
            tenure.renewOnce = true;
            tenure.renewAt(now.moment());
        }
        if (attempt.hints.wanted || !state.requests.isEmpty() || context.here().isWanted(state.resource, now)) {
            out.emit(new Effect.Wanted(state.resource, tenure.token));
        }
    }

    /** P8: another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(ResourceState state, Attempt attempt, NodeId from, Reply reply, Reading now) {
        queue.onRefusal(attempt, from, reply);
        if (attempt.hints.queued
                && reply instanceof PaxosMessage.Stale stale
                && counters.learn(state, stale.promisedCounter(), false, now)) {
            again(state, attempt, now); // it was its turn, and its counter is too low by now
        } else if (attempt.hints.isRuledOut()) {
            take(queue.onRuledOut(state, attempt, now), state, attempt, now);
        }
    }

    /** What the advice says is done with the attempt. */
    void take(QueueAdvice.Step step, ResourceState state, Attempt attempt, Reading now) {
        switch (step) {
            case WAIT -> {}
            case ASK_AGAIN -> again(state, attempt, now);
            case ASK_THOSE_THAT_REFUSED -> {
                tenures.releaseAccepted(state, attempt);
                again(state, attempt, queue.thoseThatKnowNoHolder(attempt), now);
            }
            case FAIL -> fail(state, attempt, true, now);
        }
    }

    /**
     * Another attempt takes the place of this one at once. Its answers are dead for ever (P5); no release is needed, because where
     * it left a record, the next ballot of the same incarnation renews it, and is released with it.
     */
    private void again(ResourceState state, Attempt attempt, Reading now) {
        again(state, attempt, null, now);
    }

    private void again(ResourceState state, Attempt attempt, @Nullable AcceptorSet leftOut, Reading now) {
        Invariants.check(state.tenure == null, "a holder does not wait in line", state.resource);
        state.contended = false; // to prepare first would give up the place, and hide records from abandon
        state.attempt = null;
        begin(state, Kind.ACQUIRE, attempt.leaseNanos, leftOut, now);
    }

    void onReachable(NodeId acceptor) {
        unreachable.remove(acceptor);
    }

    void onUnreachable(NodeId acceptor) {
        unreachable.add(acceptor);
    }

    /** Does not wait for acceptors that cannot be reached. An answer that comes all the same still counts. */
    void noteAbsent(ResourceState state, Reading now) {
        Attempt attempt = state.attempt;
        if (attempt != null && !unreachable.isEmpty()) {
            attempt.hints.areUnreachable(unreachable);
            if (attempt.hints.isRuledOut() && !attempt.hints.queued && !attempt.hints.refusals.mayBeQueuedYet()) {
                fail(state, attempt, attempt.hints.isAnswered(), now);
            }
        }
    }

    /** An acceptor has no record to confirm; when a majority has none, the tenure has ended. */
    void onUnknown(ResourceState state, Attempt attempt, NodeId from, Reading now) {
        attempt.hints.no.add(from);
        if (attempt.hints.no.rulesOutMajorityWith(attempt.hints.no, attempt.yes)) {
            tenures.lose(state, Effect.Loss.SUSPENDED, now);
        }
    }

    void timeOut(ResourceState state, Reading now) {
        Attempt attempt = state.attempt;
        if (attempt == null || now.moment().isBefore(attempt.hints.timeout)) {
            return;
        }
        if (attempt.hints.predecessorCounter > 0 && !attempt.hints.queued) {
            queue.dropPredecessor(state, attempt, now);
        } else if (attempt.hints.queued && attempt.yes.count() == 0) {
            again(state, attempt, now);
        } else if (attempt.hints.queued && !attempt.hints.askedTheOthers) {
            queue.askTheOthers(state, attempt, now);
        } else {
            fail(state, attempt, attempt.hints.isRefused(), now);
        }
    }

    /** P8: waits as long as the refusals suggest. */
    private void fail(ResourceState state, Attempt attempt, boolean answered, Reading now) {
        boolean isAcquired = attempt.kind == Kind.ACQUIRE; // of a holder's renewal nothing is released (P5)
        if (isAcquired && attempt.yes.count() == 0 && attempt.hints.refusals.isBehindOneHolder()) {
            tenures.abandonBehindHolder(state, now);
        } else {
            tenures.abandon(state);
        }
        boolean held = answered && attempt.hints.refusals.isHeldElsewhere() && !attempt.hints.queued;
        boolean stray = attempt.yes.count() > 0 && attempt.phase() == Attempt.Phase.PROPOSING;
        state.contended = isAcquired && answered && (stray || !attempt.hints.refusals.isBehindOneHolder());
        long delay;
        if (held && isAcquired && ((attempt.hints.refusals.isBehindOneHolder() && !stray) || attempt.hints.asksOnce)) {
            delay = queue.untilFreeOrCalled(state, attempt);
        } else if (answered) {
            delay = backoff.afterDuel(state.failures++, attempt.leaseNanos);
        } else {
            delay = backoff.afterSilence(state.failures++, attempt.leaseNanos);
        }
        state.retryAt = now.moment().plusNanos(Math.max(delay, queue.untilClocksAgree(state, attempt, now)));
        counters.adjust(state, attempt, now);
        if (isAcquired) {
            denials.onFailure(state, attempt, answered, held, unreachable, now);
        }
    }
}
