package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.paxos.Attempt.Kind;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Drives attempts (P1 to P5, P8): one begins, gathers a majority and makes or extends a tenure, or fails and is abandoned. */
final class AttemptDriver {

    private final ProposerContext context;
    private final Counters counters;
    private final Backoff backoff;
    private final EffectBuffer out;
    private final QueueAdvice queue;
    private final RenewalBatches batches;
    private final TenureEnd end;
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
        this.end = new TenureEnd(context, batches);
        this.denials = new Denials(context, queue, end);
    }

    RenewalBatches batches() {
        return batches;
    }

    TenureEnd end() {
        return end;
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
            if (!state.requests.isEmpty()) {
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

    /** P1: the deadline is fixed before anything is sent, and a new deadline means a new attempt. */
    private void begin(ResourceState state, Kind kind, long leaseNanos, Reading now) {
        Tenure tenure = state.tenure;
        Invariants.check((kind == Kind.ACQUIRE) == (tenure == null), "one tenure at a time", state.resource);
        batches.leave(state);
        if (kind == Kind.ACQUIRE) {
            counters.learn(state, context.here().highestSeen(state.resource, now), false, now);
        }
        long counter = kind == Kind.CONFIRM && tenure != null ? tenure.counter : counters.next(state, now);
        Ballot ballot = new Ballot(counter, state.incarnation);
        boolean prepares = kind == Kind.ACQUIRE && state.contended;
        long round = Backoff.round(leaseNanos);
        Attempt attempt = new Attempt(++attempts, kind, prepares, ballot, leaseNanos, context.quorum(), now, round);
        if (kind == Kind.RENEW) {
            attempt.renewals.addAll(state.renewals);
            state.renewals.clear();
        }
        state.attempt = attempt;
        state.retryAt = null;
        state.yieldUntil = null;
        unreachable.forEach(attempt.absent::add);
        switch (kind) {
            case ACQUIRE -> {
                queue.begin(state, attempt, now);
                broadcast(
                        prepares
                                ? new PaxosMessage.Prepare(state.resource, ballot, attempt.id)
                                : proposal(state, attempt));
            }
            case RENEW -> broadcast(new PaxosMessage.Propose(state.resource, ballot, leaseNanos, attempt.id));
            case CONFIRM -> confirm(state, attempt);
        }
    }

    private void confirm(ResourceState state, Attempt attempt) {
        confirming.add(attempt.id, state);
        List<Extension> extensions = List.of(new Extension(state.resource, attempt.ballot.counter()));
        broadcast(new PaxosMessage.Extend(
                state.incarnation, attempt.id, attempt.leaseNanos, PaxosMessage.Extend.UNNUMBERED, extensions));
    }

    private static PaxosMessage.Propose proposal(ResourceState state, Attempt attempt) {
        return new PaxosMessage.Propose(
                state.resource,
                attempt.ballot,
                attempt.leaseNanos,
                attempt.id,
                attempt.asksOnce ? PaxosMessage.QueueMode.ASK_HOLDER : PaxosMessage.QueueMode.QUEUE,
                state.enqueuedCounter,
                attempt.predecessorCounter);
    }

    /** P2, P3: another acceptor agreed. */
    void onAgreement(ResourceState state, Attempt attempt, Reading now) {
        queue.onAgreement(state, attempt, now);
        if (!attempt.hasQuorumBeforeDeadline(now)) {
            return;
        }
        if (attempt.phase == Attempt.Phase.PREPARING) {
            attempt.startProposing(now, Backoff.round(attempt.leaseNanos));
            broadcast(proposal(state, attempt));
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
            state.tenure.extend(attempt);
            out.emit(
                    new Effect.Extended(state.resource, state.tenure.token, state.tenure.until(), attempt.startedAt()));
            attempt.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
            if (attempt.wanted) {
                out.emit(new Effect.Wanted(state.resource, state.tenure.token));
            }
        }
    }

    private void grant(ResourceState state, Attempt attempt, Reading now) {
        AcquireRequest request = state.requests.remove();
        Invariants.check(state.tenure == null, "one tenure at a time", state.resource);
        Tenure tenure = new Tenure(attempt, request.renewed());
        state.tenure = tenure;
        state.lastHeld = null;
        state.contended = false;
        state.turnsToNextRequest();
        if (!request.renewed() && attempt.queued) {
            tenure.renewOnce = true;
            tenure.renewAt(now.moment());
        }
        Moment askedAt = attempt.movedAt == null ? attempt.startedAt() : attempt.movedAt;
        out.emit(new Effect.Granted(request.id(), state.resource, tenure.token, tenure.until(), askedAt));
        if (attempt.wanted || !state.requests.isEmpty() || context.here().isWanted(state.resource, now)) {
            out.emit(new Effect.Wanted(state.resource, tenure.token));
        }
    }

    /** P8: another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(ResourceState state, Attempt attempt, NodeId from, Reply reply, Reading now) {
        attempt.refused(from, reply);
        if (attempt.queued
                && reply instanceof PaxosMessage.Stale stale
                && counters.learn(state, stale.promisedCounter(), false, now)) {
            again(state, attempt, now); // it was its turn, and its counter is too low by now
        } else if (attempt.isRuledOut()) {
            switch (queue.onRuledOut(state, attempt, now)) {
                case WAIT -> {}
                case ASK_AGAIN -> again(state, attempt, now);
                case FAIL -> fail(state, attempt, true, now);
            }
        }
    }

    /**
     * Another attempt takes the place of this one at once. Its answers are dead for ever (P5); no release is needed, because where
     * it left a record, the next ballot of the same incarnation renews it, and is released with it.
     */
    private void again(ResourceState state, Attempt attempt, Reading now) {
        Invariants.check(state.tenure == null, "a holder does not wait in line", state.resource);
        state.contended = false; // to prepare first would give up the place, and hide records from abandon
        state.attempt = null;
        begin(state, Kind.ACQUIRE, attempt.leaseNanos, now);
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
            unreachable.forEach(attempt.absent::add);
            if (attempt.isRuledOut() && !attempt.queued && !attempt.refusals.mayBeQueuedYet()) {
                boolean answered = attempt.no.count() + attempt.yes.count()
                        >= context.quorum().majority();
                fail(state, attempt, answered, now);
            }
        }
    }

    /** An acceptor has no record to confirm; when a majority has none, the tenure has ended. */
    void onUnknown(ResourceState state, Attempt attempt, NodeId from, Reading now) {
        attempt.no.add(from);
        if (attempt.no.rulesOutMajorityWith(attempt.no, attempt.yes)) {
            end.lose(state, Effect.Loss.SUSPENDED, now);
        }
    }

    void timeOut(ResourceState state, Reading now) {
        Attempt attempt = state.attempt;
        if (attempt == null || now.moment().isBefore(attempt.timeout)) {
            return;
        }
        if (attempt.predecessorCounter > 0 && !attempt.queued) {
            dropPredecessor(state, attempt, now);
        } else if (attempt.queued && attempt.yes.count() == 0) {
            again(state, attempt, now);
        } else {
            fail(state, attempt, attempt.isRefused(), now);
        }
    }

    /**
     * The predecessor has not come, and the acceptors that keep the proposal for that reason do not say so. They are asked once
     * more, now without a predecessor: the same attempt, with the same deadline (P1).
     */
    private void dropPredecessor(ResourceState state, Attempt attempt, Reading now) {
        attempt.predecessorCounter = 0;
        attempt.timeout = now.moment().plusNanos(Backoff.round(attempt.leaseNanos));
        PaxosMessage.Propose proposal = proposal(state, attempt);
        for (NodeId acceptor : context.quorum().acceptors()) {
            if (!attempt.yes.contains(acceptor) && !attempt.no.contains(acceptor)) {
                out.send(acceptor, proposal);
            }
        }
    }

    /** P8: waits as long as the refusals suggest. */
    private void fail(ResourceState state, Attempt attempt, boolean answered, Reading now) {
        end.abandon(state);
        boolean held = answered && attempt.refusals.isHeldElsewhere() && !attempt.queued;
        boolean stray = attempt.yes.count() > 0 && attempt.phase == Attempt.Phase.PROPOSING;
        state.contended = attempt.kind == Kind.ACQUIRE && answered && (stray || !attempt.refusals.isBehindOneHolder());
        long delay;
        if (held
                && attempt.kind == Kind.ACQUIRE
                && ((attempt.refusals.isBehindOneHolder() && !stray) || attempt.asksOnce)) {
            delay = queue.untilFree(attempt);
        } else if (answered) {
            delay = backoff.afterDuel(state.failures++, attempt.leaseNanos);
        } else {
            delay = backoff.afterSilence(state.failures++, attempt.leaseNanos);
        }
        state.retryAt = now.moment().plusNanos(Math.max(delay, queue.untilClocksAgree(state, attempt, now)));
        counters.adjust(state, attempt, now);
        if (attempt.kind == Kind.ACQUIRE) {
            denials.onFailure(state, attempt, answered, held, unreachable, now);
        }
    }

    private void broadcast(Message message) {
        context.broadcast(message);
    }
}
