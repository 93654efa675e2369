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
    private final DenialPolicy denials;
    private final NoteAdvice notes;
    private final Set<NodeId> unreachable = new LinkedHashSet<>();
    private final Confirmations confirming = new Confirmations();
    private long attempts;

    AttemptDriver(ProposerContext context, Timers timers, BiConsumer<Claim, Reading> settler) {
        this.context = context;
        this.counters = context.counters();
        this.backoff = context.backoff();
        this.out = context.out();
        this.queue = new QueueAdvice(context);
        this.batches = new RenewalBatches(context, timers, settler, () -> ++attempts);
        this.tenures = new Tenures(context, batches);
        this.denials = new DenialPolicy(context, queue, tenures);
        this.notes = new NoteAdvice(context.here());
    }

    boolean isUnreachable(NodeId acceptor) {
        return unreachable.contains(acceptor);
    }

    RenewalBatches batches() {
        return batches;
    }

    Tenures tenures() {
        return tenures;
    }

    DenialPolicy denials() {
        return denials;
    }

    /** The resource whose confirming attempt that is; null when it is over. */
    @Nullable
    Claim confirming(long attempt) {
        return confirming.of(attempt);
    }

    void startWhatIsDue(Claim claim, Reading now) {
        if (!claim.state().mayBegin(now.moment())) {
            return;
        }
        Tenure tenure = claim.tenure();
        if (tenure == null) {
            if (claim.requests.isEmpty()) {
                claim.waitOver();
            } else {
                begin(claim, Kind.ACQUIRE, claim.requests.getFirst().leaseNanos(), now);
            }
        } else if (tenure.suspect) {
            begin(claim, Kind.CONFIRM, tenure.leaseNanos, now);
        } else if (!claim.renewals.isEmpty()) {
            long longest = claim.longestRenewal();
            begin(claim, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), now);
        } else if (claim.note() != null && notes.proposesNow(claim, now)) {
            begin(claim, Kind.RENEW, NoteAdvice.leaseNanos(tenure, now), now);
        } else if (tenure.isDue(now) && claim.batch() == null) {
            if (tenure.needsRepropose) {
                begin(claim, Kind.RENEW, tenure.leaseNanos, now);
            } else {
                batches.join(claim, tenure, now);
            }
        } else if (claim.state().retryAt() != null) {
            claim.waitOver(); // what failed was a change of the note, which waits for others now
        }
    }

    private void begin(Claim claim, Kind kind, long leaseNanos, Reading now) {
        begin(claim, kind, leaseNanos, null, now);
    }

    /** P1: the deadline is fixed before anything is sent, and a new deadline means a new attempt. */
    private void begin(Claim claim, Kind kind, long wanted, @Nullable AcceptorSet leftOut, Reading now) {
        Tenure tenure = claim.tenure();
        long leaseNanos = Math.min(wanted, context.generations().maxLeaseNanos());
        Invariants.check((kind == Kind.ACQUIRE) == (tenure == null), "one tenure at a time", claim.resource);
        batches.leave(claim);
        long predecessor = claim.predecessorCounter();
        if (kind == Kind.ACQUIRE) {
            long seen = context.here().highestSeen(claim.resource, now);
            counters.learn(claim, Math.max(seen, predecessor), false, now);
        }
        long counter = kind == Kind.CONFIRM && tenure != null ? tenure.counter : counters.next(claim, now);
        Ballot ballot = new Ballot(counter, claim.incarnation);
        boolean prepares = kind == Kind.ACQUIRE && claim.isContended();
        Moment timeout = now.moment().plusNanos(Backoff.round(leaseNanos));
        Attempt attempt = new Attempt(
                ++attempts, kind, prepares, claim.resource, ballot, leaseNanos, context.quorum(), now, timeout);
        if (kind == Kind.ACQUIRE) {
            attempt.hints.note(claim.requests.getFirst().note());
        } else if (kind == Kind.RENEW && claim.note() != null) {
            attempt.hints.note(NoteAdvice.begun(claim, now));
        }
        if (kind == Kind.RENEW) {
            attempt.hints.renewals.addAll(claim.renewals);
            claim.renewals.clear();
        }
        claim.begun(attempt); // what late answers would say is renewed, or released with this attempt
        attempt.hints.areUnreachable(unreachable);
        if (leftOut != null) {
            attempt.hints.leaveOut(leftOut);
        }
        switch (kind) {
            case ACQUIRE -> {
                queue.begin(claim, attempt, predecessor, now);
                PaxosMessage request = prepares ? attempt.prepare() : QueueAdvice.proposal(claim, attempt);
                context.send(request, acceptor -> !attempt.hints.leftOut.contains(acceptor));
            }
            case RENEW -> context.broadcast(attempt.propose(QueueMode.NONE, counter, 0));
            case CONFIRM -> {
                confirming.add(attempt.id, claim);
                context.broadcast(attempt.confirm());
            }
        }
    }

    /**
     * P2, P3: another acceptor agreed.
     *
     * @param kept whether it had kept what was proposed
     */
    void onAgreement(Claim claim, Attempt attempt, boolean kept, Reading now) {
        queue.onAgreement(claim, attempt, kept, now);
        if (!attempt.hasQuorumBeforeDeadline(now)) {
            return;
        }
        if (attempt.phase() == Attempt.Phase.PREPARING) {
            attempt.startProposing();
            attempt.hints.askedMore(now.moment().plusNanos(Backoff.round(attempt.leaseNanos)));
            context.broadcast(QueueAdvice.proposal(claim, attempt));
        } else {
            activate(claim, attempt, now);
        }
    }

    private void activate(Claim claim, Attempt attempt, Reading now) {
        if (attempt.kind == Kind.ACQUIRE) {
            grant(claim, attempt, now);
        } else if (claim.tenure() != null) {
            tenures.extend(claim, claim.tenure(), attempt, now);
            if (claim.note() != null) {
                NoteAdvice.extended(claim, attempt, now);
            }
            attempt.hints.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
            if (attempt.hints.isWanted()) {
                NoteAdvice.heardWanted(claim, now);
                out.emit(wanted(claim, claim.tenure()));
            }
        }
    }

    private void grant(Claim claim, Attempt attempt, Reading now) {
        AcquireRequest request = claim.requests.remove();
        Moment askedAt = attempt.hints.movedAt() == null ? attempt.startedAt() : attempt.hints.movedAt();
        Tenure tenure = tenures.begin(claim, attempt, request, askedAt, now);
        if (!attempt.hints.note().isEmpty() || !request.note().isEmpty()) {
            NoteAdvice.begin(claim, attempt, request, now);
        }
        if (!request.renewed() && attempt.hints.isQueued()) {
            tenure.renewOnce = true;
            tenure.renewAt(now.moment());
        }
        if (attempt.hints.isWanted()
                || !claim.requests.isEmpty()
                || context.here().isWanted(claim.resource, now)) {
            out.emit(wanted(claim, tenure));
        }
    }

    private Effect wanted(Claim claim, Tenure tenure) {
        ReportedWaiters reported = claim.waiters();
        NodeId first = reported == null ? context.here().firstWaiter(claim.resource) : reported.first();
        return new Effect.Wanted(claim.resource, tenure.token, first);
    }

    /** P8: another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(Claim claim, Attempt attempt, NodeId from, Reply reply, Reading now) {
        queue.onRefusal(attempt, from, reply);
        if (attempt.hints.isQueued()
                && reply instanceof PaxosMessage.Stale stale
                && counters.learn(claim, stale.promisedCounter(), false, now)) {
            again(claim, attempt, now); // it was its turn, and its counter is too low by now
        } else if (attempt.hints.isRuledOut()) {
            take(queue.onRuledOut(claim, attempt, now), claim, attempt, now);
        }
    }

    /** What the advice says is done with the attempt. */
    void take(QueueAdvice.Step step, Claim claim, Attempt attempt, Reading now) {
        switch (step) {
            case WAIT -> {}
            case ASK_AGAIN -> again(claim, attempt, now);
            case ASK_THOSE_THAT_REFUSED -> {
                tenures.releaseAccepted(claim, attempt);
                again(claim, attempt, queue.withoutKnownHolder(attempt), now);
            }
            case FAIL -> fail(claim, attempt, true, now);
        }
    }

    /**
     * Another attempt takes the place of this one at once. Its answers are dead for ever (P5); no release is needed, because where
     * it left a record, the next ballot of the same incarnation renews it, and is released with it.
     */
    private void again(Claim claim, Attempt attempt, Reading now) {
        again(claim, attempt, null, now);
    }

    private void again(Claim claim, Attempt attempt, @Nullable AcceptorSet leftOut, Reading now) {
        Invariants.check(claim.tenure() == null, "a holder does not wait in line", claim.resource);
        claim.contended(false); // to prepare first would give up the place, and hide records from abandon
        begin(claim, Kind.ACQUIRE, attempt.leaseNanos, leftOut, now);
    }

    void onReachable(NodeId acceptor) {
        unreachable.remove(acceptor);
    }

    void onUnreachable(NodeId acceptor) {
        unreachable.add(acceptor);
    }

    /** Does not wait for acceptors that cannot be reached. An answer that comes all the same still counts. */
    void noteAbsent(Claim claim, Reading now) {
        Attempt attempt = claim.attempt();
        if (attempt != null && !unreachable.isEmpty()) {
            attempt.hints.areUnreachable(unreachable);
            if (attempt.hints.isRuledOut() && !attempt.hints.isQueued() && !attempt.hints.refusals.mayBeQueuedYet()) {
                fail(claim, attempt, attempt.hints.isAnswered(), now);
            }
        }
    }

    /** An acceptor has no record to confirm; when a majority has none, the tenure has ended. */
    void onUnknown(Claim claim, Attempt attempt, NodeId from, Reading now) {
        attempt.hints.no.add(from);
        if (attempt.hints.no.rulesOutMajorityWith(attempt.hints.no, attempt.yes)) {
            tenures.lose(claim, Effect.Loss.SUSPENDED, now);
        }
    }

    void timeOut(Claim claim, Reading now) {
        Attempt attempt = claim.attempt();
        if (attempt == null || now.moment().isBefore(attempt.hints.timeout())) {
            return;
        }
        if (attempt.hints.predecessorCounter() > 0 && !attempt.hints.isQueued()) {
            queue.dropPredecessor(claim, attempt, now);
        } else if (attempt.hints.isQueued() && attempt.yes.count() == 0) {
            again(claim, attempt, now);
        } else if (attempt.hints.isQueued() && !attempt.hints.hasAskedTheOthers()) {
            queue.askTheOthers(claim, attempt, now);
        } else {
            fail(claim, attempt, attempt.hints.isRefused(), now);
        }
    }

    /** P8: waits as long as the refusals suggest. */
    private void fail(Claim claim, Attempt attempt, boolean answered, Reading now) {
        boolean isAcquired = attempt.kind == Kind.ACQUIRE; // of a holder's renewal nothing is released (P5)
        if (isAcquired && attempt.yes.count() == 0 && attempt.hints.refusals.isBehindOneHolder()) {
            tenures.abandonBehindHolder(claim, now);
        } else {
            tenures.abandon(claim);
        }
        boolean held = answered && attempt.hints.refusals.isHeldElsewhere() && !attempt.hints.isQueued();
        boolean stray = attempt.yes.count() > 0 && attempt.phase() == Attempt.Phase.PROPOSING;
        claim.contended(isAcquired && answered && (stray || !attempt.hints.refusals.isBehindOneHolder()));
        boolean isDeferred = false;
        long delay;
        if (held
                && isAcquired
                && ((attempt.hints.refusals.isBehindOneHolder() && !stray) || attempt.hints.asksOnce())) {
            isDeferred = attempt.hints.refusals.askAgainNanos() > 0;
            delay = queue.askAgainDelay(attempt);
        } else if (answered) {
            delay = backoff.afterDuel(claim.failedAgain(), attempt.leaseNanos);
        } else {
            delay = backoff.afterSilence(claim.failedAgain(), attempt.leaseNanos);
        }
        delay = Math.max(delay, queue.untilClocksAgree(claim, attempt, now));
        claim.backedOff(now.moment().plusNanos(delay), isDeferred);
        counters.adjust(claim, attempt, now);
        if (isAcquired) {
            denials.onFailure(claim, attempt, answered, held, unreachable, now);
        }
    }
}
