package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Attempt.Kind;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Message.Extension;
import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.InUse;
import io.paxoslease.protocol.Message.Release;
import io.paxoslease.protocol.Message.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The transitions of one {@link Claim}: attempts begin, gather a quorum or fail; tenures begin and end. */
final class Rounds {

    /** How often a request that asks once tries again when only another's ballot, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    /** A part of the lease time that whoever waits in line keeps for himself, to renew it in. */
    private static final int LEFT_AFTER_THE_LINE = 6;

    /** Whoever has become the holder, or has renewed, within this time is alive, and its messages are about to arrive. */
    private static final long FRESH = 20_000_000;

    /** So many attempts find out what counters a majority takes, if there are any. */
    private static final int ATTEMPTS_TO_LEARN_CLOCKS = 4;

    /** How often in a row a counter is raised to get into the line. */
    private static final int RAISES = 3;
    /** How long whoever asks once waits for the holder's word. */
    static final long TIME_TO_HEAR = 20_000_000;

    private final Quorum quorum;
    private final Timing timing;
    private final Counters counters;
    private final Backoff backoff;
    private final OwnAcceptor here;
    private final Outbox out;
    private final RecentReleases released;
    private final Set<NodeId> unreachable = new LinkedHashSet<>();
    private final Confirmations confirming = new Confirmations();
    private final Bundles bundles;
    private long attempts;

    Rounds(
            Quorum quorum,
            Timing timing,
            Counters counters,
            Backoff backoff,
            OwnAcceptor here,
            Timers timers,
            BiConsumer<Claim, Reading> settler,
            Outbox out) {
        this.bundles = new Bundles(quorum, backoff, timers, out, new BundlesOwner(settler));
        this.here = here;
        this.quorum = quorum;
        this.timing = timing;
        this.counters = counters;
        this.backoff = backoff;
        this.out = out;
        this.released = new RecentReleases(timing);
    }

    Bundles bundles() {
        return bundles;
    }

    /** The claim whose attempt to be confirmed that is; null when it is over. */
    @Nullable
    Claim confirming(long attempt) {
        return confirming.of(attempt);
    }

    private final class BundlesOwner implements Bundles.Owner {
        private final BiConsumer<Claim, Reading> settler;

        BundlesOwner(BiConsumer<Claim, Reading> settler) {
            this.settler = settler;
        }

        @Override
        public void settle(Claim claim, Reading now) {
            settler.accept(claim, now);
        }

        @Override
        public long nextAttempt() {
            return ++attempts;
        }
    }

    void startWhatIsDue(Claim claim, Reading now) {
        boolean backingOff = (claim.retryAt != null && now.moment().isBefore(claim.retryAt))
                || (claim.yieldUntil != null && now.moment().isBefore(claim.yieldUntil));
        if (claim.attempt != null || backingOff) {
            return;
        }
        Tenure tenure = claim.tenure;
        if (tenure == null) {
            if (!claim.requests.isEmpty()) {
                begin(claim, Kind.ACQUIRE, claim.requests.getFirst().leaseNanos(), now);
            }
        } else if (tenure.suspect) {
            begin(claim, Kind.CONFIRM, tenure.leaseNanos, now);
        } else if (!claim.renewals.isEmpty()) {
            long longest = claim.renewals.stream()
                    .mapToLong(Claim.Renewal::leaseNanos)
                    .max()
                    .orElse(0);
            begin(claim, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), now);
        } else if (tenure.isDue(now) && claim.bundle == null) {
            if (tenure.heals) {
                begin(claim, Kind.RENEW, tenure.leaseNanos, now);
            } else {
                bundles.join(claim, tenure, now);
            }
        }
    }

    /** P1: the deadline is fixed before anything is sent, and a new deadline means a new attempt. */
    private void begin(Claim claim, Kind kind, long leaseNanos, Reading now) {
        Tenure tenure = claim.tenure;
        Invariants.check((kind == Kind.ACQUIRE) == (tenure == null), "one tenure at a time", claim.resource);
        bundles.leave(claim);
        if (kind == Kind.ACQUIRE) {
            counters.learn(claim, here.highestSeen(claim.resource, now), false, now);
        }
        long counter = kind == Kind.CONFIRM && tenure != null ? tenure.counter : counters.next(claim, now);
        Ballot ballot = new Ballot(counter, claim.incarnation);
        boolean prepares = kind == Kind.ACQUIRE && claim.contended;
        Attempt attempt =
                new Attempt(++attempts, kind, prepares, ballot, leaseNanos, quorum, now, Backoff.round(leaseNanos));
        if (kind == Kind.RENEW) {
            attempt.renewals.addAll(claim.renewals);
            claim.renewals.clear();
        }
        claim.attempt = attempt;
        claim.retryAt = null;
        claim.yieldUntil = null;
        unreachable.forEach(attempt.absent::add);
        switch (kind) {
            case ACQUIRE -> {
                claim.since = claim.since == 0 ? counter : claim.since;
                attempt.asksOnce = claim.requests.getFirst().patience() == Patience.ASK_ONCE;
                if (!attempt.asksOnce && !prepares) {
                    attempt.after = Math.max(claim.comesAfter, here.freshRecordOfOther(claim.resource, FRESH, now));
                }
                claim.comesAfter = 0;
                if (attempt.after > 0) {
                    attempt.timeout = now.moment().plusNanos(FRESH);
                }
                broadcast(
                        prepares ? new Message.Prepare(claim.resource, ballot, attempt.id) : proposal(claim, attempt));
            }
            case RENEW -> broadcast(new Message.Propose(claim.resource, ballot, leaseNanos, attempt.id));
            case CONFIRM -> {
                confirming.add(attempt.id, claim);
                broadcast(new Message.Extend(
                        claim.incarnation,
                        attempt.id,
                        leaseNanos,
                        Message.Extend.UNNUMBERED,
                        List.of(new Extension(claim.resource, attempt.ballot.counter()))));
            }
        }
    }

    private static Message.Propose proposal(Claim claim, Attempt attempt) {
        return new Message.Propose(
                claim.resource,
                attempt.ballot,
                attempt.leaseNanos,
                attempt.id,
                attempt.asksOnce ? Message.Patience.ASKS : Message.Patience.QUEUES,
                claim.since,
                attempt.after);
    }

    /** P2, P3: another acceptor agreed. */
    void onAgreement(Claim claim, Attempt attempt, Reading now) {
        if (attempt.inLine && attempt.movedAt == null) {
            attempt.movedAt = now.moment();
        }
        if (!attempt.hasQuorumBeforeDeadline(now)) {
            if (attempt.inLine) { // the line moves: the others answer soon, or have taken somebody else
                attempt.timeout =
                        Moment.earlier(attempt.timeout, now.moment().plusNanos(backoff.split(claim.failures)));
            }
            return;
        }
        if (attempt.phase == Attempt.Phase.PREPARING) {
            attempt.startProposing(now, Backoff.round(attempt.leaseNanos));
            broadcast(proposal(claim, attempt));
        } else {
            activate(claim, attempt, now);
        }
    }

    private void activate(Claim claim, Attempt attempt, Reading now) {
        claim.attempt = null;
        claim.failures = 0;
        claim.clockFailures = 0;
        if (attempt.kind == Kind.ACQUIRE) {
            AcquireRequest request = claim.requests.remove();
            Invariants.check(claim.tenure == null, "one tenure at a time", claim.resource);
            claim.tenure = new Tenure(attempt, request.renewed());
            claim.lastHeld = null;
            claim.contended = false;
            claim.turnsToNextRequest();
            if (!request.renewed() && attempt.inLine) {
                claim.tenure.owed = true;
                claim.tenure.renewAt(now.moment());
            }
            out.emit(new Effect.Granted(
                    request.id(),
                    claim.resource,
                    claim.tenure.token,
                    claim.tenure.until(),
                    attempt.movedAt == null ? attempt.startedAt() : attempt.movedAt));
            if (attempt.wanted || !claim.requests.isEmpty() || here.isWanted(claim.resource, now)) {
                out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
            }
        } else if (claim.tenure != null) {
            claim.tenure.extend(attempt);
            out.emit(
                    new Effect.Extended(claim.resource, claim.tenure.token, claim.tenure.until(), attempt.startedAt()));
            attempt.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
            if (attempt.wanted) {
                out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
            }
        }
    }

    /** P8: another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(Claim claim, Attempt attempt, NodeId from, Reply reply, Reading now) {
        attempt.refused(from, reply);
        if (attempt.inLine
                && reply instanceof Message.Stale stale
                && counters.learn(claim, stale.promisedCounter(), false, now)) {
            again(claim, attempt, now); // it was its turn, and its counter is too low by now
        } else if (attempt.isRuledOut() && !waitInLine(claim, attempt, now)) {
            fail(claim, attempt, true, now);
        }
    }

    /**
     * A lease is in the way. The acceptors keep the proposal until it is released, so that a hand-over takes no more than the way
     * of the release and of the answer; as long as a good part of the lease time is left. Whoever was accepted by a minority while
     * no holder has a majority may be what others wait for, and gives way soon.
     */
    private boolean waitInLine(Claim claim, Attempt attempt, Reading now) {
        if (attempt.kind != Kind.ACQUIRE || attempt.asksOnce) {
            return false;
        }
        boolean behindHolder = attempt.isBehindOneHolder();
        if (behindHolder && attempt.yes.count() > 0) {
            // A record of its own, where the holder has none, would be in the holder's way as long as it waits.
            return false;
        }
        if (attempt.phase == Attempt.Phase.PREPARING && behindHolder) {
            again(claim, attempt, now);
            return true;
        }
        Moment late = attempt.startedAt().plusNanos(attempt.leaseNanos - attempt.leaseNanos / LEFT_AFTER_THE_LINE);
        if (!now.moment().isBefore(late)) {
            return false;
        }
        if (attempt.isQueued()) {
            Moment free = now.moment().plusNanos(backoff.untilFree(attempt, quorum, timing));
            boolean split = attempt.yes.count() > 0;
            Moment end = split ? now.moment().plusNanos(backoff.split(claim.failures)) : Moment.earlier(late, free);
            attempt.timeout = split && attempt.inLine ? Moment.earlier(attempt.timeout, end) : end;
            attempt.inLine = true;
            claim.raises = 0;
            return true;
        }
        if (attempt.mayBeQueuedYet()) {
            return true;
        }
        long needed = attempt.neededInLine();
        if (needed > 0 && claim.raises < RAISES && counters.learn(claim, needed, behindHolder, now)) {
            claim.raises++;
            again(claim, attempt, now);
            return true;
        }
        return false;
    }

    /**
     * Another attempt takes the place of this one at once. Its answers are dead for ever (P5); no release is needed, because where
     * it left a record, the next ballot of the same incarnation renews it, and is released with it.
     */
    private void again(Claim claim, Attempt attempt, Reading now) {
        Invariants.check(claim.tenure == null, "a holder does not wait in line", claim.resource);
        claim.contended = false; // to prepare first would give up the place, and hide records from abandon
        claim.attempt = null;
        begin(claim, Kind.ACQUIRE, attempt.leaseNanos, now);
    }

    void onReachable(NodeId acceptor) {
        unreachable.remove(acceptor);
    }

    void onUnreachable(NodeId acceptor) {
        unreachable.add(acceptor);
    }

    /** Does not wait for who cannot be reached. An answer that comes all the same still counts. */
    void noteAbsent(Claim claim, Reading now) {
        Attempt attempt = claim.attempt;
        if (attempt != null && !unreachable.isEmpty()) {
            unreachable.forEach(attempt.absent::add);
            if (attempt.isRuledOut() && !attempt.inLine && !attempt.mayBeQueuedYet()) {
                fail(claim, attempt, attempt.no.count() + attempt.yes.count() >= quorum.majority(), now);
            }
        }
    }

    /** An acceptor has no record to confirm; when a majority has none, the tenure has ended. */
    void onUnknown(Claim claim, Attempt attempt, NodeId from, Reading now) {
        attempt.no.add(from);
        if (attempt.no.rulesOutMajorityWith(attempt.no, attempt.yes)) {
            lose(claim, Loss.SUSPENDED, now);
        }
    }

    void timeOut(Claim claim, Reading now) {
        Attempt attempt = claim.attempt;
        if (attempt == null || now.moment().isBefore(attempt.timeout)) {
            return;
        }
        if (attempt.after > 0 && !attempt.inLine) {
            waitForNobody(claim, attempt, now);
        } else if (attempt.inLine && attempt.yes.count() == 0) {
            again(claim, attempt, now);
        } else {
            fail(claim, attempt, attempt.isRefused(), now);
        }
    }

    /**
     * Whoever was to come before it has not come, and who keeps its proposal for that reason does not say so. So it asks those
     * once more, as others ask: the same attempt, with the same deadline (P1).
     */
    private void waitForNobody(Claim claim, Attempt attempt, Reading now) {
        attempt.after = 0;
        attempt.timeout = now.moment().plusNanos(Backoff.round(attempt.leaseNanos));
        Message.Propose proposal = proposal(claim, attempt);
        for (NodeId acceptor : quorum.acceptors()) {
            if (!attempt.yes.contains(acceptor) && !attempt.no.contains(acceptor)) {
                out.send(acceptor, proposal);
            }
        }
    }

    /** P8: waits as long as the refusals suggest. */
    private void fail(Claim claim, Attempt attempt, boolean answered, Reading now) {
        abandon(claim);
        boolean held = answered && attempt.isHeldElsewhere() && !attempt.inLine;
        boolean stray = attempt.yes.count() > 0 && attempt.phase == Attempt.Phase.PROPOSING;
        claim.contended = attempt.kind == Kind.ACQUIRE && answered && (stray || !attempt.isBehindOneHolder());
        long delay;
        if (held && attempt.kind == Kind.ACQUIRE && ((attempt.isBehindOneHolder() && !stray) || attempt.asksOnce)) {
            delay = backoff.untilFree(attempt, quorum, timing);
        } else if (answered) {
            delay = backoff.afterDuel(claim.failures++, attempt.leaseNanos);
        } else {
            delay = backoff.afterSilence(claim.failures++, attempt.leaseNanos);
        }
        claim.retryAt = now.moment().plusNanos(Math.max(delay, noteClocks(claim, attempt, now)));
        counters.adjust(claim, attempt, now);
        if (attempt.kind == Kind.ACQUIRE) {
            denyIfAskedOnce(claim, attempt, answered, held, now);
        }
    }

    /**
     * To learn what a majority's clocks show takes a few attempts. When it does not help, no counter is right for a majority.
     *
     * @return how long to wait for that reason; zero when there is none
     */
    private long noteClocks(Claim claim, Attempt attempt, Reading now) {
        if (attempt.isHeldElsewhere()) {
            claim.clockFailures = 0;
        } else if (attempt.isTooFarAheadForAny()) {
            claim.clockFailures++;
        }
        int more = claim.clockFailures - ATTEMPTS_TO_LEARN_CLOCKS;
        if (more <= 0) {
            return 0;
        }
        if (claim.tenure == null && attempt.isTooFarAheadForAny()) {
            long guardMicros = timing.aheadGuardNanos() / 1_000;
            out.emit(new Effect.ClocksApart(claim.resource, guardMicros, attempt.clockOffsets(guardMicros, now)));
        }
        return backoff.afterClocksApart(more);
    }

    private void denyIfAskedOnce(Claim claim, Attempt attempt, boolean answered, boolean held, Reading now) {
        AcquireRequest request = claim.requests.peek();
        if (request == null || request.patience() != Patience.ASK_ONCE) {
            return;
        }
        if (held && !attempt.inUse && mayHearOfUse(claim, now)) {
            claim.askedBy = attempt.id;
            claim.retryAt = claim.askUntil;
        } else if (!answered || held || claim.failures > DUELS_OF_ONE_REQUEST) {
            deny(claim, request, held ? Denial.HELD : answered ? Denial.CONTENDED : Denial.NO_MAJORITY);
            claim.retryAt = null;
        }
    }

    /** A lease that is kept though nobody uses it is given up at once, and one that is used is said to be. */
    private boolean mayHearOfUse(Claim claim, Reading now) {
        if (claim.lastHeld == null || unreachable.contains(claim.lastHeld.ownerNode())) {
            return false;
        }
        if (claim.askUntil == null) {
            claim.askUntil = now.moment().plusNanos(TIME_TO_HEAR);
        }
        return now.moment().isBefore(claim.askUntil);
    }

    /** The holder's node says that the lease is in use: whoever asked once has the answer. */
    void onInUse(Claim claim, InUse inUse) {
        AcquireRequest request = claim.requests.peek();
        if (claim.attempt != null && claim.attempt.isEcho(inUse)) {
            claim.attempt.inUse = true;
        } else if (claim.attempt == null
                && claim.tenure == null
                && request != null
                && request.patience() == Patience.ASK_ONCE
                && claim.askUntil != null
                && claim.askedBy == inUse.attempt()
                && inUse.ballot().incarnation().equals(claim.incarnation)) {
            deny(claim, request, Denial.HELD);
            claim.retryAt = null;
        }
    }

    /** P5: the answers are dead for ever; records that a fresh attempt may have left are released. */
    private void abandon(Claim claim) {
        Attempt attempt = claim.attempt;
        claim.attempt = null;
        if (attempt == null) {
            return;
        }
        claim.renewals.addAll(attempt.renewals);
        if (claim.tenure == null && attempt.mayHaveRecords()) {
            Release release = new Release(claim.resource, claim.incarnation, attempt.ballot.counter());
            for (NodeId acceptor : quorum.acceptors()) {
                if (attempt.mayHaveRecordAt(acceptor)) {
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
    void expireTenure(Claim claim, Reading now) {
        Tenure tenure = claim.tenure;
        if (tenure == null || (tenure.suspect && !tenure.isOver(now))) {
            return;
        }
        if (tenure.isOver(now) || (tenure.isOverByWallClock(now) && !tenure.isWorthConfirming())) {
            lose(claim, Loss.EXPIRED, now);
        } else if (tenure.isOverByWallClock(now)) {
            suspect(claim, now);
        }
    }

    private void lose(Claim claim, Loss reason, Reading now) {
        if (claim.tenure != null) {
            out.emit(new Effect.Lost(claim.resource, claim.tenure.token, reason));
            endTenure(claim, now);
        }
    }

    /** P6: the holder has stopped; abandon what is in flight, then release up to the highest counter used. */
    void endTenure(Claim claim, Reading now) {
        claim.comesAfter = here.highestKept(claim.resource, now);
        forgetTenure(claim);
        Release release = new Release(claim.resource, claim.incarnation, claim.lastCounter);
        released.add(release, now.moment());
        broadcast(release);
    }

    /** Nothing is said any more in the name of an earlier incarnation. */
    void forgetReleases() {
        released.clear();
    }

    /** What that acceptor may not have heard while it was out of reach, unless a later attempt is under way. */
    void repeatReleases(NodeId acceptor, Predicate<String> isInUse, Reading now) {
        for (Release release : released.recent(now.moment())) {
            if (!isInUse.test(release.resource())) {
                out.send(acceptor, release);
            }
        }
    }

    /** Ends what there is without releasing it: it may be another's by now. */
    void disown(Claim claim, Loss reason) {
        if (claim.tenure != null) {
            out.emit(new Effect.Lost(claim.resource, claim.tenure.token, reason));
        }
        forgetTenure(claim);
    }

    private void forgetTenure(Claim claim) {
        bundles.leave(claim);
        claim.tenure = null;
        if (claim.attempt != null) {
            claim.renewals.addAll(claim.attempt.renewals);
        }
        claim.attempt = null;
        claim.retryAt = null;
        claim.failures = 0;
        claim.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), false)));
        claim.renewals.clear();
    }

    /**
     * The tenure answers "not held" until a majority confirms it; attempts measured by the old clock are abandoned. A proposal that
     * no majority is known to have accepted may be accepted yet, after another's whole tenure: its record would confirm this one
     * under a token that is the smaller one by then. So the tenure ends (section 7).
     */
    void suspect(Claim claim, Reading now) {
        bundles.leave(claim);
        abandon(claim);
        claim.retryAt = null;
        Tenure tenure = claim.tenure;
        if (tenure == null) {
            return;
        }
        if (claim.lastCounter > tenure.counter) {
            lose(claim, Loss.SUSPENDED, now);
        } else {
            tenure.suspect = true;
            out.emit(new Effect.Suspected(claim.resource, tenure.token));
        }
    }

    void giveUpLateRequests(Claim claim, Reading now) {
        AcquireRequest late = claim.lateRequest(now.moment());
        while (late != null) {
            deny(claim, late, Denial.TIMED_OUT);
            late = claim.lateRequest(now.moment());
        }
    }

    void deny(Claim claim, AcquireRequest request, Denial reason) {
        removeRequest(claim, request);
        NodeId holder = claim.lastHeld == null ? null : claim.lastHeld.ownerNode();
        out.emit(new Effect.Denied(request.id(), claim.resource, reason, holder));
    }

    /** The attempt in flight, if any, was made for the first request, with its lease time. */
    void removeRequest(Claim claim, AcquireRequest request) {
        boolean first = request.equals(claim.requests.peek());
        claim.requests.remove(request);
        if (first && claim.tenure == null) {
            abandon(claim);
            claim.turnsToNextRequest();
        }
    }

    /** P7: an acceptor still has a record of ours, though nothing rests on it. */
    void releaseOrphan(Claim claim, NodeId from, Held held) {
        Ballot owner = held.owner();
        boolean mine = owner.incarnation().equals(claim.incarnation);
        boolean attempted = claim.attempt != null && claim.attempt.ballot.counter() <= owner.counter();
        if (mine && claim.tenure == null && !attempted && owner.counter() <= claim.lastCounter) {
            out.send(from, new Release(claim.resource, claim.incarnation, owner.counter()));
        }
    }

    private void broadcast(Message message) {
        for (NodeId acceptor : quorum.acceptors()) {
            out.send(acceptor, message);
        }
    }
}
