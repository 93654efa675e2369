package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import java.util.function.Predicate;

/** How tenures begin and are extended, how they and attempts end, and what is released then (P2 to P7, and the rules of the holder). */
final class Tenures {

    private final ProposerContext context;
    private final RenewalBatches batches;
    private final EffectBuffer out;
    private final RecentReleases released;

    Tenures(ProposerContext context, RenewalBatches batches) {
        this.context = context;
        this.batches = batches;
        this.out = context.out();
        this.released = new RecentReleases(context.timing());
    }

    /**
     * P2, P3: a majority has accepted the attempt: a tenure begins.
     *
     * @param askedAt when the wait that led to it ended, or began; for people
     */
    Tenure begin(ResourceState state, Attempt attempt, AcquireRequest request, Moment askedAt, Reading now) {
        Invariants.check(state.tenure == null, "one tenure at a time", state.resource);
        Tenure tenure = new Tenure(attempt, request.renewed(), now);
        state.tenure = tenure;
        out.emit(new Effect.Granted(request.id(), state.resource, tenure.token, tenure.until(), askedAt));
        return tenure;
    }

    /** P4: a majority has accepted or confirmed the attempt. */
    void extend(ResourceState state, Tenure tenure, Attempt attempt, Reading now) {
        tenure.extend(attempt, now);
        out.emit(new Effect.Extended(state.resource, tenure.token, tenure.until(), attempt.startedAt()));
    }

    /** P5: the answers are dead for ever; records that a fresh attempt may have left are released. */
    void abandon(ResourceState state) {
        abandon(state, false);
    }

    /** P5: another attempt takes its place, which does not ask those that have accepted it. */
    void releaseAccepted(ResourceState state, Attempt attempt) {
        Invariants.check(state.tenure == null, "a holder does not release what it renews", state.resource);
        if (attempt.mayHaveRecords()) {
            Release release = new Release(state.resource, state.incarnation, attempt.ballot.counter());
            context.send(release, attempt.yes::contains);
        }
    }

    /**
     * P5, when a majority has named one holder. An acceptor that has not answered yet most likely names it too, and a release
     * would overtake all that are queued there: it is sent when the acceptor says that it has accepted or queued, or nothing for
     * some time.
     */
    void abandonBehindHolder(ResourceState state, Reading now) {
        state.awaited = state.attempt;
        state.awaitedUntil = now.moment().plusNanos(QueueAdvice.FRESH);
        abandon(state, true);
        forgetAwaitedUnlessDue(state);
    }

    /** An answer to what has been abandoned behind a holder. */
    void hearAwaited(ResourceState state, NodeId from, Reply reply) {
        Attempt awaited = state.awaited;
        if (awaited == null || !awaited.isEcho(reply) || !awaited.hints.isAnswerDueFrom(from)) {
            return;
        }
        if (reply instanceof PaxosMessage.Accepted || (reply instanceof Held held && held.queued())) {
            out.send(from, new Release(state.resource, awaited.ballot.incarnation(), awaited.ballot.counter()));
        }
        awaited.hints.no.add(from);
        forgetAwaitedUnlessDue(state);
    }

    private void forgetAwaitedUnlessDue(ResourceState state) {
        Attempt awaited = state.awaited;
        if (awaited != null && context.quorum().acceptors().stream().noneMatch(awaited.hints::isAnswerDueFrom)) {
            state.forgetAwaited();
        }
    }

    /** Those whose answers have not come release what they may have accepted. */
    void releaseAwaited(ResourceState state) {
        Attempt awaited = state.awaited;
        if (awaited != null) {
            Release release = new Release(state.resource, awaited.ballot.incarnation(), awaited.ballot.counter());
            context.send(release, awaited.hints::isAnswerDueFrom);
            state.forgetAwaited();
        }
    }

    private void abandon(ResourceState state, boolean awaitsAnswers) {
        Attempt attempt = state.attempt;
        state.attempt = null;
        if (attempt == null) {
            return;
        }
        state.renewals.addAll(attempt.hints.renewals);
        if (state.tenure == null) {
            state.wishes = null;
        }
        if (state.tenure == null && attempt.mayHaveRecords()) {
            Release release = new Release(state.resource, state.incarnation, attempt.ballot.counter());
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
    void expire(ResourceState state, Reading now) {
        Tenure tenure = state.tenure;
        if (tenure == null || (tenure.suspect && !tenure.isOver(now))) {
            return;
        }
        if (tenure.isOver(now) || (tenure.isOverByWallClock(now) && !tenure.isWorthConfirming())) {
            lose(state, Loss.EXPIRED, now);
        } else if (tenure.isOverByWallClock(now)) {
            suspect(state, now);
        }
    }

    void lose(ResourceState state, Loss reason, Reading now) {
        if (state.tenure != null) {
            out.emit(new Effect.Lost(state.resource, state.tenure.token, reason));
            release(state, now);
        }
    }

    /**
     * P6: the holder has stopped, for effects take place before messages leave; abandon what is in flight, then release up to the
     * highest counter used.
     */
    void release(ResourceState state, Reading now) {
        long queued = state.wishes == null ? 0 : state.wishes.highestQueued();
        state.predecessorCounter = Math.max(queued, context.here().highestKept(state.resource, now));
        forgetTenure(state);
        Release release = new Release(state.resource, state.incarnation, state.lastCounter);
        released.add(release, now.moment());
        context.generations().everyone().forEach(acceptor -> out.send(acceptor, release));
    }

    /** H4: nothing is released any more in the name of an earlier incarnation, whose leases may be a copy's of this process. */
    void forgetReleases() {
        released.clear();
    }

    /**
     * Advice, as a release may be repeated at any time (P0): repeats what that acceptor may not have heard while it was out of reach,
     * unless a later attempt is under way.
     */
    void repeatReleases(NodeId acceptor, Predicate<String> isInUse, Reading now) {
        for (Release release : released.recent(now.moment())) {
            if (!isInUse.test(release.resource())) {
                out.send(acceptor, release);
            }
        }
    }

    /**
     * P7: an acceptor still has a record of this incarnation, though nothing rests on it. A record above the last counter is not from
     * here, but a copy's of this process; below the counter of the attempt in flight nothing rests on it.
     */
    void releaseOrphan(ResourceState state, NodeId from, Held held) {
        Ballot owner = held.owner();
        boolean mine = owner.incarnation().equals(state.incarnation);
        boolean attempted = state.attempt != null && state.attempt.ballot.counter() <= owner.counter();
        if (mine && state.tenure == null && !attempted && owner.counter() <= state.lastCounter) {
            out.send(from, new Release(state.resource, state.incarnation, owner.counter()));
        }
    }

    /** H4: ends the tenure and the attempt without a release: what they rest on may be a copy's of this process. */
    void disown(ResourceState state, Loss reason) {
        if (state.tenure != null) {
            out.emit(new Effect.Lost(state.resource, state.tenure.token, reason));
        }
        forgetTenure(state);
        state.forgetAwaited();
    }

    private void forgetTenure(ResourceState state) {
        batches.leave(state);
        state.tenure = null;
        state.wishes = null;
        if (state.attempt != null) {
            state.renewals.addAll(state.attempt.hints.renewals);
        }
        state.attempt = null;
        state.retryAt = null;
        state.failures = 0;
        state.failRenewals(out);
    }

    /**
     * The tenure answers "not held" until a majority confirms it; attempts measured by the old clock are abandoned. A proposal that
     * no majority is known to have accepted may be accepted yet, after another's whole tenure: its record would confirm this one
     * under a token that is the smaller one by then. So the tenure ends (section 7).
     */
    void suspect(ResourceState state, Reading now) {
        batches.leave(state);
        abandon(state);
        state.retryAt = null;
        Tenure tenure = state.tenure;
        if (tenure == null) {
            return;
        }
        if (state.lastCounter > tenure.counter) {
            lose(state, Loss.SUSPENDED, now);
        } else {
            tenure.suspect = true;
            out.emit(new Effect.Suspected(state.resource, tenure.token));
        }
    }
}
