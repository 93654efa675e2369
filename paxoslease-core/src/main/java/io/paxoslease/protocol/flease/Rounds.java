package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.Attempt.Kind;
import io.paxoslease.protocol.flease.FleaseMessage.Wish;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** GetLease: the transitions of one {@link Claim}. An attempt reads, decides by what it has read, and writes. */
final class Rounds {

    /** How often a request that asks once tries again when only another's round, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    private final NodeId self;
    private final Quorum quorum;
    private final Bound bound;
    private final Registers here;
    private final Knowledge knowledge;
    private final Wishes wishes;
    private final Waits waits;
    private final RandomGenerator random;
    private final Outbox out;
    private final Set<NodeId> absent = new HashSet<>();
    private Incarnation incarnation;
    private Round lastDrawn = Round.NONE;
    private long highestToken;
    private long tokenOfEarlierLife;
    private long attempts;

    Rounds(
            NodeId self,
            Quorum quorum,
            Bound bound,
            Registers here,
            Knowledge knowledge,
            Wishes wishes,
            Incarnation incarnation,
            RandomGenerator random,
            Outbox out) {
        this.self = self;
        this.quorum = quorum;
        this.bound = bound;
        this.here = here;
        this.knowledge = knowledge;
        this.wishes = wishes;
        this.waits = new Waits(random);
        this.incarnation = incarnation;
        this.random = random;
        this.out = out;
    }

    Incarnation incarnation() {
        return incarnation;
    }

    Waits waits() {
        return waits;
    }

    Set<NodeId> absent() {
        return absent;
    }

    long highestToken() {
        return highestToken;
    }

    void continueAbove(long token) {
        highestToken = Math.max(highestToken, token);
        tokenOfEarlierLife = Math.max(tokenOfEarlierLife, token);
    }

    /** From now on as another life: nothing that was drawn or owned before is known. */
    void startAnew(Incarnation fresh) {
        incarnation = fresh;
        lastDrawn = Round.NONE;
        if (quorum.size() == 1) {
            tokenOfEarlierLife = highestToken; // nobody else remembers it
        }
    }

    void startWhatIsDue(Claim claim, Reading now) {
        if (claim.attempt != null || isWaiting(claim, now)) {
            return;
        }
        Tenure tenure = claim.tenure;
        if (tenure != null) {
            renewIfDue(claim, tenure, now);
        } else if (claim.unusedUntil != null && (claim.yields || claim.requests.isEmpty())) {
            begin(claim, Kind.RELEASE, bound.micros() * 1_000, Wish.NONE, now);
        } else if (!claim.requests.isEmpty()) {
            AcquireRequest first = claim.requests.getFirst();
            Wish wish = first.patience() == Patience.ASK_ONCE ? Wish.ONCE : Wish.WAITS;
            begin(claim, Kind.ACQUIRE, first.leaseNanos(), wish, now);
        }
    }

    private static boolean isWaiting(Claim claim, Reading now) {
        boolean backsOff = claim.retryAt != null && now.moment().isBefore(claim.retryAt);
        boolean yields = claim.yieldUntil != null && now.moment().isBefore(claim.yieldUntil);
        return backsOff || yields || claim.askUntil != null;
    }

    private void renewIfDue(Claim claim, Tenure tenure, Reading now) {
        if (!claim.renewals.isEmpty()) {
            long longest = claim.renewals.stream()
                    .mapToLong(Claim.Renewal::leaseNanos)
                    .max()
                    .orElse(0);
            begin(claim, Kind.RENEW, Math.max(longest, tenure.renewed ? tenure.leaseNanos : 0), Wish.NONE, now);
        } else if (tenure.isDue(now)) {
            begin(claim, Kind.RENEW, tenure.leaseNanos, Wish.NONE, now);
        }
    }

    /** Step 1: read. */
    private void begin(Claim claim, Kind kind, long leaseNanos, Wish wish, Reading now) {
        Round round = nextRound(claim, now);
        Attempt attempt = new Attempt(++attempts, kind, round, leaseNanos, quorum, now, Waits.phase(leaseNanos));
        if (kind == Kind.RENEW) {
            attempt.renewals.addAll(claim.renewals);
            claim.renewals.clear();
        }
        claim.attempt = attempt;
        claim.retryAt = null;
        claim.yieldUntil = null;
        broadcast(new FleaseMessage.Read(claim.resource, round, attempt.id, wish));
    }

    /** Above every one of this node's own, and above what was in the way, or is known here to be. */
    private Round nextRound(Claim claim, Reading now) {
        Round last = Round.later(Round.later(lastDrawn, claim.learnt), here.highest(claim.resource));
        Round next = Round.above(last, bound.slot(now), self, random);
        Invariants.check(next.isAbove(last), "rounds rise", claim.resource);
        lastDrawn = next;
        return next;
    }

    private void broadcast(FleaseMessage message) {
        quorum.acceptors().forEach(acceptor -> out.send(acceptor, message));
    }

    /** Another acceptor agreed. */
    void onAgreement(Claim claim, Attempt attempt, NodeId from, FleaseMessage.Reply reply, Reading now) {
        boolean absurd = reply instanceof FleaseMessage.ReadAck ack
                && !from.equals(self)
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
            decide(claim, attempt, now);
        } else {
            knowledge.learn(claim.resource, new Stored(attempt.round, attempt.proposed()));
            commit(claim, attempt, now);
        }
    }

    private void decide(Claim claim, Attempt attempt, Reading now) {
        if (attempt.isLatestDecided() && !attempt.latest().written().equals(Round.NONE)) {
            knowledge.learn(claim.resource, attempt.latest());
        }
        Value latest = attempt.latest().value();
        switch (attempt.kind) {
            case ACQUIRE -> decideAcquire(claim, attempt, latest, now);
            case RENEW -> decideRenew(claim, attempt, latest, now);
            case RELEASE -> decideRelease(claim, attempt, latest, now);
        }
    }

    private void decideAcquire(Claim claim, Attempt attempt, Value latest, Reading now) {
        if (mayTake(latest, attempt.startedAt)) {
            write(claim, attempt, newTenure(latest, attempt.leaseNanos, now), now);
            claim.unusedUntil = attempt.until().moment();
        } else if (attempt.isLatestDecided() || hasEnded(latest, now)) {
            isHeldByOther(claim, attempt, latest, now);
        } else {
            write(claim, attempt, latest, now); // another's lease as it is, so that a majority has what was read
        }
    }

    /**
     * Step 3. A value of this node's own that nobody here relies on is in nobody's way. What has ended was over before the read
     * began, so its round is above every one in which its owner may have released it: see {@link #releaseAtOnce}.
     */
    private boolean mayTake(Value latest, Reading began) {
        return latest.isEmpty() || latest.isOf(incarnation) || bound.isOver(latest, began);
    }

    /** By this clock; by the owner's perhaps not yet. */
    private static boolean hasEnded(Value value, Reading now) {
        return now.wallMicros() >= value.endMicros();
    }

    private Value newTenure(Value before, long leaseNanos, Reading now) {
        long token = Math.max(now.wallMicros(), Math.max(before.token(), tokenOfEarlierLife) + 1);
        return new Value(new Value.Owner(self, incarnation), endOf(leaseNanos, now), token);
    }

    private static long endOf(long leaseNanos, Reading now) {
        return now.wallMicros() + leaseNanos / 1_000;
    }

    private void decideRenew(Claim claim, Attempt attempt, Value latest, Reading now) {
        Tenure tenure = claim.tenure;
        if (tenure == null) {
            claim.attempt = null;
        } else if (isOwn(latest, tenure)) {
            long end = Math.max(latest.endMicros(), endOf(attempt.leaseNanos, now));
            write(claim, attempt, new Value(latest.owner(), end, latest.token()), now);
        } else {
            disown(claim, Loss.CLOCK); // nothing else can have put another value in its place
        }
    }

    private boolean isOwn(Value latest, Tenure tenure) {
        return latest.isOf(incarnation) && tenure.isStoredIn(latest);
    }

    private void decideRelease(Claim claim, Attempt attempt, Value latest, Reading now) {
        // It is empty where an attempt of this release that failed has written it: then a majority has to have that.
        if (latest.isEmpty() || latest.isOf(incarnation)) {
            write(claim, attempt, latest.released(), now);
        } else {
            claim.attempt = null;
            claim.unusedUntil = null;
            claim.yields = false;
        }
    }

    /** Step 4. */
    private void write(Claim claim, Attempt attempt, Value value, Reading now) {
        attempt.startWriting(value, now, Waits.phase(attempt.leaseNanos));
        broadcast(new FleaseMessage.Write(claim.resource, attempt.round, attempt.id, value));
    }

    private void commit(Claim claim, Attempt attempt, Reading now) {
        switch (attempt.kind) {
            case ACQUIRE -> commitAcquire(claim, attempt, now);
            case RENEW -> commitRenew(claim, attempt);
            case RELEASE -> commitRelease(claim, now);
        }
    }

    private void commitAcquire(Claim claim, Attempt attempt, Reading now) {
        if (!attempt.proposed().isOf(incarnation)) {
            isHeldByOther(claim, attempt, attempt.proposed(), now);
            return;
        }
        AcquireRequest request = claim.requests.getFirst();
        Tenure tenure = new Tenure(attempt, request.renewed());
        if (tenure.isOver(now)) {
            fail(claim, attempt, now);
            return;
        }
        Invariants.check(claim.tenure == null, "one tenure at a time", claim.resource);
        claim.requests.remove();
        claim.attempt = null;
        claim.tenure = tenure;
        claim.unusedUntil = null;
        claim.held = Value.NOTHING;
        claim.turnsToNextRequest();
        highestToken = Math.max(highestToken, tenure.token);
        out.emit(new Effect.Granted(
                request.id(), claim.resource, tenure.token, tenure.until(), attempt.startedAt.moment()));
        tellIfWanted(claim, tenure, now);
    }

    private void tellIfWanted(Claim claim, Tenure tenure, Reading now) {
        if (!claim.requests.isEmpty()
                || !wishes.all(claim.resource, now.moment()).isEmpty()) {
            out.emit(new Effect.Wanted(claim.resource, tenure.token));
        }
    }

    /** The old end has not come: {@link #expireTenure} comes before every handler. */
    private void commitRenew(Claim claim, Attempt attempt) {
        claim.attempt = null;
        claim.failures = 0;
        Tenure tenure = claim.tenure;
        if (tenure != null) {
            tenure.extend(attempt);
            out.emit(new Effect.Extended(claim.resource, tenure.token, tenure.until(), attempt.startedAt.moment()));
            attempt.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), true)));
        }
    }

    private void commitRelease(Claim claim, Reading now) {
        claim.attempt = null;
        claim.unusedUntil = null;
        claim.failures = 0;
        List<NodeId> waiting = wishes.all(claim.resource, now.moment());
        for (int i = 0; i < waiting.size(); i++) {
            out.send(waiting.get(i), new FleaseMessage.Freed(claim.resource, i));
        }
        if (claim.yields && !waiting.isEmpty()) {
            claim.yieldUntil = now.moment().plusNanos(waits.afterRelease(waiting.size()));
        }
        claim.yields = false;
    }

    /** Step 2, and the outcome of step 4 for another's lease: nobody may take it before the bound has passed after its end. */
    private void isHeldByOther(Claim claim, Attempt attempt, Value held, Reading now) {
        claim.attempt = null;
        claim.failures = 0;
        claim.held = held;
        claim.unusedUntil = null;
        AcquireRequest first = claim.requests.getFirst();
        if (attempt.freed) {
            claim.retryAt = now.moment().plusNanos(waits.afterReachable());
        } else if (first.patience() == Patience.WAIT) {
            long wait = (bound.freeAt(held) - now.wallMicros()) * 1_000;
            claim.retryAt = now.moment().plusNanos(waits.untilFree(wait, attempt.leaseNanos));
        } else if (hasEnded(held, now) || isKnownToBeInUse(claim) || absent.contains(claim.holder())) {
            deny(claim, first, Denial.HELD, now);
        } else {
            claim.askUntil = now.moment().plusNanos(Waits.TIME_TO_HEAR);
        }
    }

    boolean isKnownToBeInUse(Claim claim) {
        return claim.inUse == claim.held.token() && claim.inUse != 0;
    }

    /** Another acceptor refused; when that rules out a majority, the attempt is over. */
    void onRefusal(Claim claim, Attempt attempt, NodeId from, FleaseMessage.Nack nack, Reading now) {
        if (!attempt.hasAgreed(from)) {
            attempt.refused(from, nack.highest());
            failIfRuledOut(claim, attempt, now);
        }
    }

    void failIfRuledOut(Claim claim, Attempt attempt, Reading now) {
        if (attempt.isRuledOut(absent)) {
            fail(claim, attempt, now);
        }
    }

    /** What was written may have been written: nothing is held, and it is respected. */
    void fail(Claim claim, Attempt attempt, Reading now) {
        boolean duel = attempt.wasRefused();
        abandon(claim, attempt);
        if (!bound.isTooFarAhead(attempt.highest, now)) {
            claim.learnt = Round.later(claim.learnt, attempt.highest);
        }
        claim.failures++;
        claim.yields = false;
        AcquireRequest first = claim.requests.peek();
        boolean once = first != null && first.patience() == Patience.ASK_ONCE && attempt.kind == Kind.ACQUIRE;
        if (once && !(duel && claim.failures <= DUELS_OF_ONE_REQUEST)) {
            deny(claim, first, duel ? Denial.CONTENDED : Denial.NO_MAJORITY, now);
            return;
        }
        claim.retryAt = now.moment()
                .plusNanos(
                        duel
                                ? waits.afterDuel(claim.failures, attempt.leaseNanos)
                                : waits.afterSilence(claim.failures, attempt.leaseNanos));
    }

    private void abandon(Claim claim, Attempt attempt) {
        claim.attempt = null;
        claim.renewals.addAll(attempt.renewals);
    }

    /** Also removes it, and what is under way for it. */
    void deny(Claim claim, AcquireRequest request, Denial reason, Reading now) {
        NodeId holder = reason == Denial.HELD || reason == Denial.TIMED_OUT ? holder(claim) : null;
        removeRequest(claim, request);
        out.emit(new Effect.Denied(request.id(), claim.resource, reason, holder));
    }

    private @Nullable NodeId holder(Claim claim) {
        return claim.tenure != null ? self : claim.holder();
    }

    void removeRequest(Claim claim, AcquireRequest request) {
        boolean first = request.equals(claim.requests.peek());
        claim.requests.remove(request);
        if (first && claim.tenure == null) {
            claim.turnsToNextRequest();
            claim.retryAt = null;
            if (claim.attempt != null && claim.attempt.kind == Kind.ACQUIRE) {
                abandon(claim, claim.attempt);
            }
        }
    }

    /** The owner stops by its own clocks. */
    void expireTenure(Claim claim, Reading now) {
        if (claim.tenure != null && claim.tenure.isOver(now)) {
            disown(claim, Loss.EXPIRED);
        }
    }

    void disown(Claim claim, Loss reason) {
        Tenure tenure = claim.tenure;
        if (tenure != null) {
            endTenure(claim);
            out.emit(new Effect.Lost(claim.resource, tenure.token, reason));
        }
    }

    /** Ends what is held, and what is under way to hold on. */
    void endTenure(Claim claim) {
        claim.tenure = null;
        claim.retryAt = null;
        claim.failures = 0;
        if (claim.attempt != null) {
            abandon(claim, claim.attempt);
        }
        claim.renewals.forEach(renewal -> out.emit(new Effect.Renewed(renewal.requestId(), false)));
        claim.renewals.clear();
    }

    /**
     * Writes without reading first: there is no time to wait for answers any more. While the own tenure lasts, nobody can have
     * written anything but that tenure. A copy may come after its end: whoever has it then has it by a later slot. A tenure that
     * nearly ends by itself is left to that.
     */
    void releaseAtOnce(Claim claim, Tenure tenure, Reading now) {
        Value released = new Value(null, 0, tenure.token);
        Round round = nextRound(claim, now);
        if (!bound.isWellBeforeEnd(round, tenure.until().wallMicros())) {
            return;
        }
        broadcast(new FleaseMessage.Write(claim.resource, round, ++attempts, released));
        List<NodeId> waiting = wishes.all(claim.resource, now.moment());
        for (int i = 0; i < waiting.size(); i++) {
            out.send(waiting.get(i), new FleaseMessage.Freed(claim.resource, i + 1));
        }
    }
}
