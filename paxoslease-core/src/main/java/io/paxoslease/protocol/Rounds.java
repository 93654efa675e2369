package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Attempt.Kind;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Message.Extension;
import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.Release;
import io.paxoslease.protocol.Message.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The transitions of one {@link Claim}: attempts begin, gather a quorum or fail; tenures begin and end. */
final class Rounds {

    /** How often a request that asks once tries again when only another's ballot, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    private final Quorum quorum;
    private final Timing timing;
    private final Counters counters;
    private final Backoff backoff;
    private final Outbox out;
    private final RecentReleases released;
    private final Set<NodeId> unreachable = new LinkedHashSet<>();
    private long attempts;

    Rounds(Quorum quorum, Timing timing, Counters counters, Backoff backoff, Outbox out) {
        this.quorum = quorum;
        this.timing = timing;
        this.counters = counters;
        this.backoff = backoff;
        this.out = out;
        this.released = new RecentReleases(timing);
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
        } else if (!claim.renewals.isEmpty() || (tenure.renewed && !now.moment().isBefore(tenure.renewAt))) {
            long longest = claim.renewals.stream()
                    .mapToLong(Claim.Renewal::leaseNanos)
                    .max()
                    .orElse(0);
            begin(claim, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), now);
        }
    }

    /** P1: the deadline is fixed before anything is sent, and a new deadline means a new attempt. */
    private void begin(Claim claim, Kind kind, long leaseNanos, Reading now) {
        Tenure tenure = claim.tenure;
        Invariants.check((kind == Kind.ACQUIRE) == (tenure == null), "one tenure at a time", claim.resource);
        long counter = kind == Kind.CONFIRM && tenure != null ? tenure.counter : counters.next(claim, now);
        Ballot ballot = new Ballot(counter, claim.incarnation);
        Attempt attempt = new Attempt(++attempts, kind, ballot, leaseNanos, quorum, now, Backoff.round(leaseNanos));
        if (kind == Kind.RENEW) {
            attempt.renewals.addAll(claim.renewals);
            claim.renewals.clear();
        }
        claim.attempt = attempt;
        claim.retryAt = null;
        claim.yieldUntil = null;
        unreachable.forEach(attempt.absent::add);
        switch (kind) {
            case ACQUIRE -> broadcast(new Message.Prepare(claim.resource, ballot, attempt.id));
            case RENEW -> broadcast(new Message.Propose(claim.resource, ballot, leaseNanos, attempt.id));
            case CONFIRM ->
                broadcast(new Message.Extend(
                        claim.incarnation,
                        attempt.id,
                        leaseNanos,
                        List.of(new Extension(claim.resource, attempt.ballot.counter()))));
        }
    }

    /** P2, P3: another acceptor agreed. */
    void onAgreement(Claim claim, Attempt attempt, Reading now) {
        if (!attempt.hasQuorumBeforeDeadline(now)) {
            return;
        }
        if (attempt.phase == Attempt.Phase.PREPARING) {
            attempt.startProposing(now, Backoff.round(attempt.leaseNanos));
            broadcast(new Message.Propose(claim.resource, attempt.ballot, attempt.leaseNanos, attempt.id));
        } else {
            activate(claim, attempt);
        }
    }

    private void activate(Claim claim, Attempt attempt) {
        claim.attempt = null;
        claim.failures = 0;
        if (attempt.kind == Kind.ACQUIRE) {
            AcquireRequest request = claim.requests.remove();
            Invariants.check(claim.tenure == null, "one tenure at a time", claim.resource);
            claim.tenure = new Tenure(attempt, request.renewed());
            claim.lastHeld = null;
            out.emit(new Effect.Granted(
                    request.id(), claim.resource, claim.tenure.token, claim.tenure.until, attempt.startedAt()));
        } else if (claim.tenure != null) {
            claim.tenure.extend(attempt);
            out.emit(new Effect.Extended(claim.resource, claim.tenure.token, claim.tenure.until, attempt.startedAt()));
            attempt.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
        }
    }

    /** P8: another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(Claim claim, Attempt attempt, NodeId from, Reply reply, Reading now) {
        attempt.refused(from, reply);
        if (attempt.isRuledOut()) {
            fail(claim, attempt, true, now);
        }
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
        if (attempt != null) {
            unreachable.forEach(attempt.absent::add);
            if (attempt.isRuledOut()) {
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
        if (claim.attempt != null && !now.moment().isBefore(claim.attempt.timeout)) {
            fail(claim, claim.attempt, claim.attempt.isRefused(), now);
        }
    }

    /** P8: waits as long as the refusals suggest. */
    private void fail(Claim claim, Attempt attempt, boolean answered, Reading now) {
        abandon(claim);
        boolean held = answered && attempt.isHeldElsewhere();
        long delay;
        if (held && attempt.kind == Kind.ACQUIRE) {
            delay = backoff.untilFree(attempt, quorum, timing);
        } else if (answered) {
            delay = backoff.afterDuel(claim.failures++, attempt.leaseNanos);
        } else {
            delay = backoff.afterSilence(claim.failures++, attempt.leaseNanos);
        }
        claim.retryAt = now.moment().plusNanos(delay);
        counters.adjust(claim, attempt, now);
        if (attempt.kind == Kind.ACQUIRE) {
            denyIfAskedOnce(claim, answered, held);
        }
    }

    private void denyIfAskedOnce(Claim claim, boolean answered, boolean held) {
        AcquireRequest request = claim.requests.peek();
        if (request == null || request.patience() != Patience.ASK_ONCE) {
            return;
        }
        if (!answered || held || claim.failures > DUELS_OF_ONE_REQUEST) {
            deny(claim, request, held ? Denial.HELD : answered ? Denial.CONTENDED : Denial.NO_MAJORITY);
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
            broadcast(new Release(claim.resource, claim.incarnation, attempt.ballot.counter()));
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
            suspect(claim);
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

    /** The tenure answers "not held" until a majority confirms it; attempts measured by the old clock are abandoned. */
    void suspect(Claim claim) {
        abandon(claim);
        claim.retryAt = null;
        if (claim.tenure != null) {
            claim.tenure.suspect = true;
            out.emit(new Effect.Suspected(claim.resource, claim.tenure.token));
        }
    }

    void giveUpLateRequests(Claim claim, Reading now) {
        for (AcquireRequest request : List.copyOf(claim.requests)) {
            Moment limit = claim.giveUpAt(request);
            if (limit != null && !now.moment().isBefore(limit)) {
                deny(claim, request, Denial.TIMED_OUT);
            }
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
