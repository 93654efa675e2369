package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.Timing;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The proposer: acquires, renews and releases leases for its node, as long as the node takes part. Not thread-safe. Every
 * handler ends in {@link #settle}, which does what the clock has made due.
 */
final class Proposer {

    private final NodeId self;
    private final Timing timing;
    private final Rounds rounds;
    private final Wishes wishes;
    private final Outbox out;
    private final Map<String, Claim> claims = new HashMap<>();
    private final Timers timers = new Timers();
    private boolean serving;

    Proposer(NodeId self, Timing timing, Rounds rounds, Wishes wishes, Outbox out) {
        this.self = self;
        this.timing = timing;
        this.rounds = rounds;
        this.wishes = wishes;
        this.out = out;
    }

    void acquire(AcquireRequest asked, Reading now) {
        AcquireRequest request = asked.at(now.moment());
        boolean once = request.patience() == Patience.ASK_ONCE;
        Claim known = claims.get(request.resource());
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() < 1_000) {
            deny(request, Denial.REFUSED, null);
        } else if (once && !serving) {
            deny(request, Denial.NO_MAJORITY, null);
        } else if (once && known != null && known.tenure == null && !known.requests.isEmpty()) {
            deny(request, Denial.HELD, self);
        } else {
            add(request, once, now);
        }
    }

    private void deny(AcquireRequest request, Denial reason, @Nullable NodeId holder) {
        out.emit(new Effect.Denied(request.id(), request.resource(), reason, holder));
    }

    private void add(AcquireRequest request, boolean once, Reading now) {
        Claim claim = claims.computeIfAbsent(request.resource(), Claim::new);
        rounds.expireTenure(claim, now);
        if (claim.tenure == null) {
            claim.requests.add(request);
        } else {
            claim.requests.add(once ? request.endingAt(now.moment().plusNanos(Waits.TIME_TO_HEAR)) : request);
            out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
        }
        settle(claim, now);
    }

    void withdraw(String resource, long requestId, Reading now) {
        Claim claim = claims.get(resource);
        if (claim != null) {
            claim.requests.stream()
                    .filter(request -> request.id() == requestId)
                    .findFirst()
                    .ifPresent(request -> rounds.removeRequest(claim, request));
            settle(claim, now);
        }
    }

    /** The holder has stopped. Local requests for the same resource go on, but after those that wait elsewhere. */
    void giveUp(String resource, long token, Reading now) {
        Claim claim = claims.get(resource);
        if (claim == null || claim.tenure == null || claim.tenure.token != token) {
            return;
        }
        claim.unusedUntil = claim.tenure.until().moment().plusNanos(timing.maxLeaseNanos());
        claim.yields = !wishes.all(resource, now.moment()).isEmpty();
        rounds.endTenure(claim);
        settle(claim, now);
    }

    /** Somebody reads what is held here because it wants it. */
    void wanted(String resource) {
        Claim claim = claims.get(resource);
        if (claim != null && claim.tenure != null) {
            out.emit(new Effect.Wanted(resource, claim.tenure.token));
        }
    }

    /** The holder here goes on using it: whoever asked once, here or elsewhere, has the answer. */
    void inUse(String resource, long token, Reading now) {
        Claim claim = claims.get(resource);
        if (claim == null || claim.tenure == null || claim.tenure.token != token) {
            return;
        }
        for (AcquireRequest request : List.copyOf(claim.requests)) {
            if (request.patience() == Patience.ASK_ONCE) {
                rounds.deny(claim, request, Denial.HELD, now);
            }
        }
        wishes.takeOnce(resource, now.moment())
                .forEach(node -> out.send(node, new FleaseMessage.InUse(resource, token)));
        settle(claim, now);
    }

    /** The holder's word. It may come before what it is about has been read. */
    void onInUse(FleaseMessage.InUse word, Reading now) {
        Claim claim = claims.get(word.resource());
        if (claim == null || claim.tenure != null || claim.requests.isEmpty()) {
            return;
        }
        claim.inUse = word.token();
        if (claim.askUntil != null && rounds.isKnownToBeInUse(claim)) {
            rounds.deny(claim, claim.requests.getFirst(), Denial.HELD, now);
        }
        settle(claim, now);
    }

    void onFreed(FleaseMessage.Freed hint, Reading now) {
        Claim claim = claims.get(hint.resource());
        if (claim == null || claim.tenure != null || claim.requests.isEmpty()) {
            return;
        }
        if (claim.attempt != null) {
            claim.attempt.freed = true;
        } else if (claim.askUntil != null || claim.retryAt != null) {
            Moment soon = now.moment().plusNanos(rounds.waits().afterRelease(hint.ahead()));
            claim.retryAt = claim.retryAt == null ? soon : Moment.earlier(claim.retryAt, soon);
            claim.askUntil = null;
        }
        settle(claim, now);
    }

    void renew(Event.Renew event, Reading now) {
        Claim claim = claims.get(event.resource());
        if (claim == null
                || claim.tenure == null
                || claim.tenure.token != event.token()
                || event.leaseNanos() > timing.maxLeaseNanos()
                || event.leaseNanos() <= 0) {
            out.emit(new Effect.Renewed(event.requestId(), false));
            return;
        }
        claim.renewals.add(new Claim.Renewal(event.requestId(), event.leaseNanos()));
        settle(claim, now);
    }

    /** An answer to the attempt in flight; any other is ignored. */
    void onReply(NodeId from, FleaseMessage.Reply reply, Reading now) {
        Claim claim = claims.get(reply.resource());
        if (claim == null) {
            return;
        }
        rounds.expireTenure(claim, now);
        Attempt attempt = claim.attempt;
        if (attempt != null && attempt.isEcho(reply)) {
            if (attempt.isAgreement(reply)) {
                rounds.onAgreement(claim, attempt, from, reply, now);
            } else if (reply instanceof FleaseMessage.Nack nack) {
                rounds.onRefusal(claim, attempt, from, nack, now);
            }
        }
        settle(claim, now);
    }

    void onReachable(NodeId node, Reading now) {
        rounds.absent().remove(node);
        nudge(now);
    }

    /** Whoever waits for that node's answer, or its word, need not wait any longer. */
    void onUnreachable(NodeId node, Reading now) {
        rounds.absent().add(node);
        for (Claim claim : List.copyOf(claims.values())) {
            if (claim.askUntil != null && node.equals(claim.holder())) {
                rounds.deny(claim, claim.requests.getFirst(), Denial.HELD, now);
            }
            settle(claim, now);
        }
    }

    /** More can be done than before: whoever waits tries again soon. */
    private void nudge(Reading now) {
        for (Claim claim : List.copyOf(claims.values())) {
            if (claim.retryAt != null) {
                Moment soon = now.moment().plusNanos(rounds.waits().afterReachable());
                claim.retryAt = Moment.earlier(claim.retryAt, soon);
            }
            settle(claim, now);
        }
    }

    /** From now on the node takes part. */
    void takePart(Reading now) {
        serving = true;
        nudge(now);
    }

    /** The node takes no part any more: nothing that rests on its clock can be relied on. */
    void standBack(Loss reason, Reading now) {
        serving = false;
        for (Claim claim : List.copyOf(claims.values())) {
            rounds.expireTenure(claim, now);
            rounds.disown(claim, reason);
            claim.attempt = null;
            claim.retryAt = null;
            claim.unusedUntil = null;
            claim.yields = false;
            for (AcquireRequest request : List.copyOf(claim.requests)) {
                if (request.patience() == Patience.ASK_ONCE) {
                    rounds.deny(claim, request, Denial.NO_MAJORITY, now);
                }
            }
            settle(claim, now);
        }
    }

    /** Nothing is done in an earlier life's name any more. After {@link #standBack}. */
    void startAnew(Incarnation fresh) {
        rounds.startAnew(fresh);
        claims.values().forEach(claim -> claim.learnt = Round.NONE);
    }

    /** Releases every tenure, denies every request. */
    void shutdown(Reading now) {
        for (Claim claim : List.copyOf(claims.values())) {
            rounds.expireTenure(claim, now);
            while (!claim.requests.isEmpty()) {
                rounds.deny(claim, claim.requests.getLast(), Denial.STOPPED, now);
            }
            Tenure tenure = claim.tenure;
            if (tenure != null) {
                rounds.releaseAtOnce(claim, tenure, now);
                rounds.endTenure(claim);
            }
        }
        claims.clear();
        serving = false;
    }

    void wake(Reading now) {
        Timed timed = timers.poll(now.moment());
        while (timed != null) {
            if (timed instanceof Claim claim) {
                settle(claim, now);
            }
            timed = timers.poll(now.moment());
        }
    }

    /** Does what has become due, then sets the timer, or forgets a claim that waits for nothing. */
    private void settle(Claim claim, Reading now) {
        rounds.expireTenure(claim, now);
        denyUnheard(claim, now);
        giveUpLateRequests(claim, now);
        timeOut(claim, now);
        if (claim.unusedUntil != null && claim.attempt == null && !now.moment().isBefore(claim.unusedUntil)) {
            claim.unusedUntil = null; // it is over by itself
            claim.yields = false;
        }
        if (serving) {
            rounds.startWhatIsDue(claim, now);
        }
        if (claim.yieldUntil != null && !now.moment().isBefore(claim.yieldUntil)) {
            claim.yieldUntil = null;
        }
        if (claim.isIdle()) {
            claims.remove(claim.resource);
        }
        timers.set(claim, claim.isIdle() ? null : claim.earliest(serving));
    }

    /** Whoever asked once has heard nothing of the holder in time. */
    private void denyUnheard(Claim claim, Reading now) {
        if (claim.askUntil != null && !now.moment().isBefore(claim.askUntil)) {
            rounds.deny(claim, claim.requests.getFirst(), Denial.HELD, now);
        }
    }

    private void giveUpLateRequests(Claim claim, Reading now) {
        for (AcquireRequest request : List.copyOf(claim.requests)) {
            Moment limit = claim.giveUpAt(request);
            if (limit != null && !now.moment().isBefore(limit)) {
                boolean once = request.patience() == Patience.ASK_ONCE;
                rounds.deny(claim, request, once ? Denial.HELD : Denial.TIMED_OUT, now);
            }
        }
    }

    private void timeOut(Claim claim, Reading now) {
        Attempt attempt = claim.attempt;
        if (attempt != null && !now.moment().isBefore(attempt.timeout)) {
            rounds.fail(claim, attempt, now);
        } else if (attempt != null) {
            rounds.failIfRuledOut(claim, attempt, now);
        }
    }

    @Nullable
    Moment nextDeadline() {
        return timers.next();
    }

    Collection<Claim> claims() {
        return claims.values();
    }

    @Nullable
    Claim claim(String resource) {
        return claims.get(resource);
    }
}
