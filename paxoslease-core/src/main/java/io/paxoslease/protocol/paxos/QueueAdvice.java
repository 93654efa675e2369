package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.Attempt.Kind;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import org.jspecify.annotations.Nullable;

/**
 * How a proposer waits for a lease that another holds: in the queues of the acceptors, or for the holder's word. Advice: it decides
 * when to ask, never whether a grant counts.
 */
final class QueueAdvice {

    /** What to do with an attempt that no majority can agree to as things stand. */
    enum Step {
        /** Leave it in flight: a majority keeps it, or may come to. */
        WAIT,
        /** Another attempt takes its place at once. */
        ASK_AGAIN,
        /** The same, but those that have agreed are not asked: they do not know of the lease that is in the way. */
        ASK_THOSE_THAT_REFUSED,
        /** It has failed. */
        FAIL
    }

    /** The part of the lease time that is left for renewing when a wait in a queue succeeds. */
    private static final int LEFT_AFTER_THE_QUEUE = 6;

    /** A node that has become the holder, or has renewed, within this time is alive, and its messages are about to arrive. */
    static final long FRESH = 20_000_000;

    /** How long a request that asks once waits for the holder's word. */
    static final long TIME_TO_HEAR = 20_000_000;

    /** So many attempts find out what counters a majority takes, if there are any. */
    private static final int ATTEMPTS_TO_LEARN_CLOCKS = 4;

    private final ProposerContext context;

    QueueAdvice(ProposerContext context) {
        this.context = context;
    }

    /** A new attempt to acquire says how long this node has wanted the lease, and after which other proposer its turn comes. */
    void begin(Claim claim, Attempt attempt, long predecessor, Reading now) {
        claim.turnBegun(attempt.ballot.counter());
        attempt.hints.asksOnce(claim.requests.getFirst().waitMode() == WaitMode.TRY_ONCE);
        if (!attempt.hints.asksOnce() && attempt.phase() == Attempt.Phase.PROPOSING) {
            long holder = context.here().freshRecordOfOther(claim.resource, FRESH, now);
            if (Math.max(predecessor, holder) > 0) {
                attempt.hints.follows(
                        Math.max(predecessor, holder), now.moment().plusNanos(FRESH));
            }
        }
    }

    static Request proposal(Claim claim, Attempt attempt) {
        return attempt.propose(
                attempt.hints.asksOnce() ? QueueMode.ASK_HOLDER : QueueMode.QUEUE,
                claim.turn().enqueuedCounter,
                attempt.hints.predecessorCounter());
    }

    /**
     * Where another's record is in the way of the holder, the acceptor keeps the renewal before all other queued proposals (Q13), until that
     * record is released or has expired.
     */
    void onRefusal(Attempt attempt, NodeId from, Reply reply) {
        boolean isRenewal = attempt.kind == Kind.RENEW && attempt.phase() == Attempt.Phase.PROPOSING;
        boolean isFirst = !attempt.hints.no.contains(from);
        attempt.hints.refused(from, reply);
        if (isRenewal && isFirst && reply instanceof Held) {
            context.send(attempt.propose(QueueMode.QUEUE, 0, 0), from::equals);
        }
    }

    /** Q13: the holder's renewal has met the record of a proposal. If a minority has accepted that, it gives way. */
    static Step onRecordInTheWay(Attempt attempt) {
        if (attempt.kind != Kind.ACQUIRE || attempt.phase() != Attempt.Phase.PROPOSING || attempt.yes.count() == 0) {
            return Step.WAIT;
        }
        return attempt.hints.asksOnce() ? Step.FAIL : Step.ASK_THOSE_THAT_REFUSED;
    }

    /**
     * An acceptor agreed to what had waited: its queue moves, if it had kept it.
     *
     * @param kept whether it had
     */
    void onAgreement(Claim claim, Attempt attempt, boolean kept, Reading now) {
        if (attempt.hints.leftOut.count() > 0) { // the holder is not in the way of all that it was thought to be
            context.send(proposal(claim, attempt), attempt.hints.leftOut::contains);
            attempt.hints.askAll();
        }
        if (!attempt.hints.isQueued()) {
            return;
        }
        attempt.hints.moved(now.moment());
        if (attempt.hasQuorumBeforeDeadline(now)) {
            return;
        }
        if (!kept && !attempt.hints.hasAskedTheOthers()) { // it may not know of the holder
            askTheOthers(claim, attempt, now);
        } else { // the others answer soon, or have accepted another
            attempt.hints.endsBy(now.moment().plusNanos(context.backoff().split(claim.failures())));
        }
    }

    /**
     * A lease is in the way. The acceptors keep the proposal until it is released, so that a hand-over takes no more than the way
     * of the release and of the answer; as long as a good part of the lease time is left. A proposal that a minority accepted while
     * no holder has a majority may be what others wait for, and gives way soon.
     */
    Step onRuledOut(Claim claim, Attempt attempt, Reading now) {
        boolean behindHolder = attempt.hints.refusals.isBehindOneHolder();
        if (attempt.kind != Kind.ACQUIRE || attempt.hints.asksOnce()) {
            return Step.FAIL;
        }
        if (behindHolder && attempt.yes.count() > 0) {
            // A record of its own, where the holder has none, would be in the holder's way as long as it waits.
            return Step.ASK_THOSE_THAT_REFUSED;
        }
        if (attempt.phase() == Attempt.Phase.PREPARING && behindHolder) {
            return Step.ASK_AGAIN;
        }
        Moment late = attempt.startedAt().plusNanos(attempt.leaseNanos - attempt.leaseNanos / LEFT_AFTER_THE_QUEUE);
        if (!now.moment().isBefore(late)) {
            return Step.FAIL;
        }
        if (attempt.hints.refusals.isQueued()) {
            stayQueued(claim, attempt, late, now);
            return Step.WAIT;
        }
        if (attempt.hints.refusals.mayBeQueuedYet()) {
            return Step.WAIT;
        }
        long needed = attempt.hints.refusals.neededToQueue(attempt.ballot);
        if (needed > 0 && claim.turn().mayRaise() && context.counters().learn(claim, needed, behindHolder, now)) {
            claim.turn().raised();
            return Step.ASK_AGAIN;
        }
        return Step.FAIL;
    }

    /**
     * Of a proposal that waits behind a holder: those that have agreed do not know the holder, as they have missed its messages. A
     * record there would be in the way of the holder's next one, and gains nothing: those that know the holder decide who is next.
     */
    AcceptorSet withoutKnownHolder(Attempt attempt) {
        AcceptorSet others = new AcceptorSet(context.quorum());
        others.addAll(attempt.yes);
        others.addAll(attempt.hints.leftOut);
        return others;
    }

    /**
     * The predecessor has not come, and the acceptors that keep the proposal for that reason do not say so. They are asked once
     * more, now without a predecessor: the same attempt, with the same deadline (P1).
     */
    void dropPredecessor(Claim claim, Attempt attempt, Reading now) {
        attempt.hints.followsNone(now.moment().plusNanos(Backoff.round(attempt.leaseNanos)));
        proposeToTheRest(claim, attempt);
    }

    /**
     * The queue has moved at some acceptors, and the others have not said why it has not there: a lease may be live there yet, or
     * another proposer be accepted. They are asked once more, with the same attempt and the same deadline (P1).
     */
    void askTheOthers(Claim claim, Attempt attempt, Reading now) {
        attempt.hints.askedTheOthers(now.moment().plusNanos(context.backoff().split(claim.failures())));
        proposeToTheRest(claim, attempt);
    }

    private void proposeToTheRest(Claim claim, Attempt attempt) {
        AttemptHints hints = attempt.hints;
        context.send(
                proposal(claim, attempt),
                acceptor -> !attempt.yes.contains(acceptor)
                        && !hints.no.contains(acceptor)
                        && !hints.leftOut.contains(acceptor));
    }

    private void stayQueued(Claim claim, Attempt attempt, Moment late, Reading now) {
        Moment free = now.moment().plusNanos(untilFree(attempt) + FRESH); // the acceptors serve their queues (Q8)
        if (attempt.yes.count() == 0) {
            attempt.hints.queuedUntil(Moment.earlier(late, free));
        } else {
            Moment end = now.moment().plusNanos(context.backoff().split(claim.failures()));
            attempt.hints.queuedUntil(attempt.hints.isQueued() ? Moment.earlier(attempt.hints.timeout(), end) : end);
        }
        claim.turn().queued();
    }

    /** How long to wait for the end of the lease in the way, if nothing is heard of it before. */
    long untilFree(Attempt attempt) {
        long free = Math.min(
                attempt.hints.refusals.heldForNanosAtMajority(),
                context.timing().quarantineNanos());
        return context.backoff().untilFree(free, attempt.leaseNanos);
    }

    /** How long to wait when no majority has room in its queue. */
    long askAgainDelay(Attempt attempt) {
        long askAgain = attempt.hints.refusals.askAgainNanos();
        return Math.max(untilFree(attempt), context.backoff().untilCalled(askAgain));
    }

    /**
     * A holder that keeps a lease without using it gives it up at once, and one that uses it says so: a request that asks once waits
     * for that, as long as the holder can be reached.
     */
    @Nullable
    Moment awaitsHolderUntil(Claim claim, Reading now) {
        Moment until = claim.turn().askUntil(now.moment().plusNanos(TIME_TO_HEAR));
        return now.moment().isBefore(until) ? until : null;
    }

    /**
     * To learn what a majority's clocks show takes a few attempts. When it does not help, no counter is right for a majority.
     *
     * @return how long to wait for that reason; zero when there is none
     */
    long untilClocksAgree(Claim claim, Attempt attempt, Reading now) {
        if (attempt.hints.refusals.isHeldElsewhere()) {
            claim.clocksAgreed();
        } else if (attempt.hints.refusals.isTooFarAheadForAny()) {
            claim.clocksDiffered();
        }
        int more = claim.clockFailures() - ATTEMPTS_TO_LEARN_CLOCKS;
        if (more <= 0) {
            return 0;
        }
        if (claim.tenure() == null && attempt.hints.refusals.isTooFarAheadForAny()) {
            long guardMicros = context.timing().aheadGuardNanos() / 1_000;
            context.out()
                    .emit(new Effect.ClocksApart(
                            claim.resource, guardMicros, attempt.hints.refusals.clockOffsets(guardMicros, now)));
        }
        return context.backoff().afterClocksApart(more);
    }
}
