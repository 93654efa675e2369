package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.ClaimState.LateAnswers;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import org.jspecify.annotations.Nullable;

/** How tenures begin and are extended, how they and attempts end, and what is released then (P2 to P7, and the rules of the holder). */
final class Tenures {

    private final ProposerContext context;
    private final RenewalBatches batches;
    private final EffectBuffer out;

    Tenures(ProposerContext context, RenewalBatches batches) {
        this.context = context;
        this.batches = batches;
        this.out = context.out();
    }

    /**
     * P2, P3: a majority has accepted the attempt: a tenure begins.
     *
     * @param askedAt when the first acceptor accepted the queued proposal; without a queue, when the attempt began. For observers only
     */
    Tenure begin(Claim claim, Attempt attempt, AcquireRequest request, Moment askedAt, Reading now) {
        Invariants.check(claim.tenure() == null, "one tenure at a time", claim.resource);
        Tenure tenure = new Tenure(attempt, request.renewed(), request.heldNanos(), now);
        claim.granted(tenure);
        out.emit(new Effect.Granted(request.id(), claim.resource, tenure.token, tenure.until(), askedAt));
        return tenure;
    }

    /** P4: a majority has accepted or confirmed the attempt. */
    void extend(Claim claim, Tenure tenure, Attempt attempt, Reading now) {
        tenure.extend(attempt, now);
        claim.extended();
        out.emit(new Effect.Extended(claim.resource, tenure.token, tenure.until(), attempt.startedAt()));
    }

    /** P5: later answers are ignored; records that an attempt to acquire may have left are released. */
    void abandon(Claim claim) {
        Attempt attempt = claim.attempt();
        claim.abandoned();
        release(claim, attempt, false);
    }

    /** P5: another attempt replaces it and does not ask the acceptors that have accepted it. */
    void releaseAccepted(Claim claim, Attempt attempt) {
        Invariants.check(claim.tenure() == null, "a holder does not release what it renews", claim.resource);
        if (attempt.mayHaveRecords()) {
            Release release = new Release(claim.resource, claim.incarnation, attempt.ballot.counter());
            context.send(release, attempt.yes::contains);
        }
    }

    /**
     * P5, when a majority has named one holder. An acceptor that has not answered yet most likely names it too, and a release sent
     * now would arrive before the proposals that are queued there. It is sent when the acceptor says that it has accepted or queued
     * the proposal, or has not answered for some time.
     */
    void abandonBehindHolder(Claim claim, Reading now) {
        Attempt attempt = claim.attempt();
        claim.abandonedBehindHolder(now.moment().plusNanos(QueueAdvice.FRESH));
        release(claim, attempt, true);
        forgetLateAnswersUnlessDue(claim);
    }

    /** An answer to what has been abandoned behind a holder. */
    void hearLate(Claim claim, NodeId from, Reply reply) {
        LateAnswers late = claim.state().lateAnswers();
        Attempt awaited = late == null ? null : late.attempt();
        if (awaited == null || !awaited.isEcho(reply) || !awaited.hints.isAnswerDueFrom(from)) {
            return;
        }
        if (reply instanceof PaxosMessage.Accepted || (reply instanceof Held held && held.queued())) {
            out.send(from, new Release(claim.resource, awaited.ballot.incarnation(), awaited.ballot.counter()));
        }
        awaited.hints.no.add(from);
        forgetLateAnswersUnlessDue(claim);
    }

    private void forgetLateAnswersUnlessDue(Claim claim) {
        LateAnswers late = claim.state().lateAnswers();
        if (late != null && !late.attempt().hints.isAnyAnswerDue()) {
            claim.lateAnswersOver();
        }
    }

    /** Acceptors that have not answered release what they may have accepted. */
    void releaseUnanswered(Claim claim) {
        LateAnswers late = claim.state().lateAnswers();
        if (late != null) {
            Ballot ballot = late.attempt().ballot;
            Release release = new Release(claim.resource, ballot.incarnation(), ballot.counter());
            context.send(release, late.attempt().hints::isAnswerDueFrom);
            claim.lateAnswersOver();
        }
    }

    private void release(Claim claim, @Nullable Attempt attempt, boolean awaitsAnswers) {
        if (attempt == null) {
            return;
        }
        claim.renewals.addAll(attempt.hints.renewals);
        if (claim.tenure() == null && attempt.mayHaveRecords()) {
            Release release = new Release(claim.resource, claim.incarnation, attempt.ballot.counter());
            for (NodeId acceptor : context.quorum().acceptors()) {
                boolean awaited = awaitsAnswers && attempt.hints.isAnswerDueFrom(acceptor);
                if (!awaited && attempt.hints.mayHaveRecordAt(acceptor)) {
                    out.send(acceptor, release);
                }
            }
        }
    }

    /**
     * Every handler compares the stored deadline of the tenure first. If only the wall clock has passed it, the monotonic clock
     * may have stood still, and another node may have held the lease meanwhile. A PROPOSE could then continue this tenure under a
     * token below the other's, so the tenure must be confirmed.
     */
    void expire(Claim claim, Reading now) {
        Tenure tenure = claim.tenure();
        if (tenure == null || (tenure.suspect && !tenure.isOver(now))) {
            return;
        }
        if (tenure.isOver(now) || (tenure.isOverByWallClock(now) && !tenure.isWorthConfirming())) {
            lose(claim, Loss.EXPIRED, now);
        } else if (tenure.isOverByWallClock(now)) {
            suspect(claim, now);
        }
    }

    void lose(Claim claim, Loss reason, Reading now) {
        if (claim.tenure() != null) {
            out.emit(new Effect.Lost(claim.resource, claim.tenure().token, reason));
            release(claim, null, now);
        }
    }

    /**
     * P6: the holder has stopped, because effects happen before messages leave. Abandons what is in flight, then releases up to the
     * highest counter used.
     *
     * @param successor the node whose queued proposal the acceptors examine first (Q15); null: the queue has its usual order
     */
    void release(Claim claim, @Nullable NodeId successor, Reading now) {
        long queued = claim.waiters() == null ? 0 : claim.waiters().highestQueued();
        end(claim);
        claim.released(Math.max(queued, context.here().highestKept(claim.resource, now)));
        Release release = new Release(claim.resource, claim.incarnation, claim.lastCounter);
        context.released().add(release, now.moment());
        Request sent = successor == null ? release : new ReleaseTo(release, successor);
        context.generations().everyone().forEach(acceptor -> out.send(acceptor, sent));
    }

    /**
     * P7: an acceptor still has a record of this incarnation that nothing here relies on. A record above the last counter comes from a
     * copy of this process. Nothing relies on a record below the counter of the attempt in flight.
     */
    void releaseOrphan(Claim claim, NodeId from, Held held) {
        Ballot owner = held.owner();
        boolean mine = owner.incarnation().equals(claim.incarnation);
        boolean attempted = claim.attempt() != null && claim.attempt().ballot.counter() <= owner.counter();
        if (mine && claim.tenure() == null && !attempted && owner.counter() <= claim.lastCounter) {
            out.send(from, new Release(claim.resource, claim.incarnation, owner.counter()));
        }
    }

    /** H4: ends the tenure and the attempt without a release: their records may belong to a copy of this process. */
    void disown(Claim claim, Loss reason) {
        if (claim.tenure() != null) {
            out.emit(new Effect.Lost(claim.resource, claim.tenure().token, reason));
        }
        end(claim);
        claim.disowned();
    }

    /** The holder's requests can no longer be served. */
    private void end(Claim claim) {
        batches.leave(claim);
        Attempt attempt = claim.attempt();
        if (attempt != null) {
            claim.renewals.addAll(attempt.hints.renewals);
        }
        claim.failRenewals(out);
    }

    /**
     * The tenure answers "not held" until a majority confirms it; attempts measured by the old clock are abandoned. A proposal that is
     * not known to be accepted by a majority may be accepted later, after a whole tenure of another node. Its record would then
     * confirm this tenure under a token that is the smaller one. So the tenure ends (section 7).
     */
    void suspect(Claim claim, Reading now) {
        batches.leave(claim);
        abandon(claim);
        claim.waitOver();
        Tenure tenure = claim.tenure();
        if (tenure == null) {
            return;
        }
        if (claim.lastCounter > tenure.counter) {
            lose(claim, Loss.SUSPENDED, now);
        } else {
            tenure.suspect = true;
            claim.suspected();
            out.emit(new Effect.Suspected(claim.resource, tenure.token));
        }
    }
}
