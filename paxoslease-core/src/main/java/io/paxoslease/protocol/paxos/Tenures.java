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
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
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
     * @param askedAt when the wait that led to it ended, or began; for people
     */
    Tenure begin(Claim claim, Attempt attempt, AcquireRequest request, Moment askedAt, Reading now) {
        Invariants.check(claim.tenure() == null, "one tenure at a time", claim.resource);
        Tenure tenure = new Tenure(attempt, request.renewed(), now);
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

    /** P5: the answers are dead for ever; records that a fresh attempt may have left are released. */
    void abandon(Claim claim) {
        Attempt attempt = claim.attempt();
        claim.abandoned();
        release(claim, attempt, false);
    }

    /** P5: another attempt takes its place, which does not ask those that have accepted it. */
    void releaseAccepted(Claim claim, Attempt attempt) {
        Invariants.check(claim.tenure() == null, "a holder does not release what it renews", claim.resource);
        if (attempt.mayHaveRecords()) {
            Release release = new Release(claim.resource, claim.incarnation, attempt.ballot.counter());
            context.send(release, attempt.yes::contains);
        }
    }

    /**
     * P5, when a majority has named one holder. An acceptor that has not answered yet most likely names it too, and a release
     * would overtake all that are queued there: it is sent when the acceptor says that it has accepted or queued, or nothing for
     * some time.
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

    /** Those whose answers have not come release what they may have accepted. */
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
     * The tenure's deadline is stored data, checked in every handler before anything else. When only the wall clock says
     * that it is over, the monotonic clock may have stood still, and another's whole tenure may have passed: a PROPOSE
     * could then continue this one under a token that is smaller than the other's, so it must be confirmed.
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
            release(claim, now);
        }
    }

    /**
     * P6: the holder has stopped, for effects take place before messages leave; abandon what is in flight, then release up to the
     * highest counter used.
     */
    void release(Claim claim, Reading now) {
        long queued = claim.waiters() == null ? 0 : claim.waiters().highestQueued();
        end(claim);
        claim.released(Math.max(queued, context.here().highestKept(claim.resource, now)));
        Release release = new Release(claim.resource, claim.incarnation, claim.lastCounter);
        context.released().add(release, now.moment());
        context.generations().everyone().forEach(acceptor -> out.send(acceptor, release));
    }

    /**
     * P7: an acceptor still has a record of this incarnation, though nothing rests on it. A record above the last counter is not from
     * here, but a copy's of this process; below the counter of the attempt in flight nothing rests on it.
     */
    void releaseOrphan(Claim claim, NodeId from, Held held) {
        Ballot owner = held.owner();
        boolean mine = owner.incarnation().equals(claim.incarnation);
        boolean attempted = claim.attempt() != null && claim.attempt().ballot.counter() <= owner.counter();
        if (mine && claim.tenure() == null && !attempted && owner.counter() <= claim.lastCounter) {
            out.send(from, new Release(claim.resource, claim.incarnation, owner.counter()));
        }
    }

    /** H4: ends the tenure and the attempt without a release: what they rest on may be a copy's of this process. */
    void disown(Claim claim, Loss reason) {
        if (claim.tenure() != null) {
            out.emit(new Effect.Lost(claim.resource, claim.tenure().token, reason));
        }
        end(claim);
        claim.disowned();
    }

    /** What the holder has asked for cannot be done any more. */
    private void end(Claim claim) {
        batches.leave(claim);
        Attempt attempt = claim.attempt();
        if (attempt != null) {
            claim.renewals.addAll(attempt.hints.renewals);
        }
        claim.failRenewals(out);
    }

    /**
     * The tenure answers "not held" until a majority confirms it; attempts measured by the old clock are abandoned. A proposal that
     * no majority is known to have accepted may be accepted yet, after another's whole tenure: its record would confirm this one
     * under a token that is the smaller one by then. So the tenure ends (section 7).
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
