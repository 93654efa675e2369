package io.paxoslease.protocol;

import io.paxoslease.protocol.Attempt.Phase;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Message.Extended;
import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.Refused;
import io.paxoslease.protocol.Message.Released;
import io.paxoslease.protocol.Message.Reply;
import io.paxoslease.protocol.Message.Stale;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The proposer (section 5, P0 to P8): acquires, renews and releases leases for its node. Not thread-safe. Every handler
 * ends in {@link #settle}, which does what the clock has made due.
 */
public final class Proposer {

    private final NodeId self;
    private final Quorum quorum;
    private final Timing timing;
    private final Backoff backoff;
    private final Counters counters;
    private final Rounds rounds;
    private final Bundles bundles;
    private final Outbox out;
    private final Map<String, Claim> claims = new HashMap<>();
    private final Timers timers = new Timers();

    Proposer(
            NodeId self,
            Quorum quorum,
            Timing timing,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            OwnAcceptor here,
            Outbox out) {
        this.self = self;
        this.quorum = quorum;
        this.timing = timing;
        this.backoff = new Backoff(random);
        this.counters = new Counters(incarnations, timing);
        this.rounds = new Rounds(quorum, timing, counters, backoff, here, timers, this::settle, out);
        this.bundles = rounds.bundles();
        this.out = out;
    }

    void continueAbove(long counter) {
        counters.continueAbove(counter);
    }

    long highestCounter() {
        return counters.highestDrawn();
    }

    /** Only acceptors' answers count, and only under their own names. */
    boolean heeds(NodeId from) {
        return quorum.contains(from);
    }

    void acquire(AcquireRequest asked, Reading now) {
        AcquireRequest request = asked.at(now.moment());
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() <= 0) {
            out.emit(new Effect.Denied(request.id(), request.resource(), Denial.REFUSED, null));
            return;
        }
        Claim claim = claims.computeIfAbsent(request.resource(), r -> new Claim(r, counters.incarnation()));
        rounds.expireTenure(claim, now);
        boolean once = request.patience() == AcquireRequest.Patience.ASK_ONCE;
        if (once && claim.tenure == null && !claim.requests.isEmpty()) {
            out.emit(new Effect.Denied(request.id(), request.resource(), Denial.HELD, self));
        } else if (claim.tenure == null) {
            claim.requests.add(request);
        } else {
            claim.requests.add(once ? request.endingAt(now.moment().plusNanos(Rounds.TIME_TO_HEAR)) : request);
            out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
        }
        settle(claim, now);
    }

    void withdraw(String resource, long requestId, Reading now) {
        Claim claim = claims.get(resource);
        if (claim != null) {
            AcquireRequest request = claim.requests.find(requestId);
            if (request != null) {
                rounds.removeRequest(claim, request);
            }
            settle(claim, now);
        }
    }

    /**
     * P6. Local requests for the same resource go on, but after those that wait elsewhere.
     *
     * @param waitingElsewhere how many other nodes are known to wait for it
     */
    void giveUp(String resource, long token, int waitingElsewhere, Reading now) {
        Claim claim = claims.get(resource);
        if (claim == null || claim.tenure == null || claim.tenure.token != token) {
            return;
        }
        rounds.endTenure(claim, now);
        if (waitingElsewhere > 0) {
            claim.yieldUntil = now.moment().plusNanos(backoff.afterRelease(waitingElsewhere));
        }
        settle(claim, now);
    }

    /** Another node was refused because of a lease; if it is this node's, its holder hears of it. */
    void wanted(Held held) {
        Claim claim = claims.get(held.resource());
        if (claim != null
                && claim.tenure != null
                && !claim.tenure.suspect
                && held.owner().incarnation().equals(claim.incarnation)) {
            out.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
        }
    }

    /** The holder here goes on using it: whoever asked once here has the answer. */
    void inUse(String resource, long token, Reading now) {
        Claim claim = claims.get(resource);
        if (claim != null && claim.tenure != null && claim.tenure.token == token) {
            for (AcquireRequest request : claim.requests.askingOnce()) {
                claim.requests.remove(request);
                out.emit(new Effect.Denied(request.id(), resource, Denial.HELD, self));
            }
            settle(claim, now);
        }
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

    /** An answer to the attempt in flight; any other is ignored, save for what it hints (P5). */
    void onReply(NodeId from, Reply reply, Reading now) {
        Claim claim = claims.get(reply.resource());
        if (claim == null) {
            return;
        }
        if (reply instanceof Held held) {
            claim.lastHeld = held;
            claim.lastHeldAt = now.moment();
            rounds.releaseOrphan(claim, from, held);
        }
        rounds.expireTenure(claim, now);
        if (reply instanceof Message.InUse inUse) {
            rounds.onInUse(claim, inUse);
        } else if (claim.attempt != null && claim.attempt.isEcho(reply)) {
            count(claim, claim.attempt, from, reply, now);
        } else if (reply instanceof Message.Accepted accepted) {
            hearWanted(claim, accepted);
        } else if (reply instanceof Stale && claim.tenure == null && claim.attempt == null && claim.retryAt != null) {
            // What it abandoned had been kept, and its turn has come or will not come: a hint to ask again.
            claim.retryAt = Moment.earlier(claim.retryAt, now.moment().plusNanos(backoff.afterReachable()));
        }
        settle(claim, now);
    }

    /** After a majority has accepted, another acceptor may know of somebody who waits. */
    private void hearWanted(Claim claim, Message.Accepted accepted) {
        Tenure tenure = claim.tenure;
        if (accepted.wanted() && tenure != null && accepted.ballot().counter() == tenure.counter) {
            out.emit(new Effect.Wanted(claim.resource, tenure.token));
        }
    }

    private void count(Claim claim, Attempt attempt, NodeId from, Reply reply, Reading now) {
        boolean agrees = (reply instanceof Message.Open && attempt.phase == Phase.PREPARING)
                || (reply instanceof Message.Accepted && attempt.phase == Phase.PROPOSING);
        if (agrees) {
            attempt.agreed(from);
            attempt.wanted |= reply instanceof Message.Accepted accepted && accepted.wanted();
            rounds.onAgreement(claim, attempt, now);
        } else if (attempt.yes.contains(from)) {
            return; // what it said before it agreed, overtaken on the way
        } else if (reply instanceof Held || reply instanceof Stale || reply instanceof Refused) {
            rounds.onRefusal(claim, attempt, from, reply, now);
        }
    }

    void onExtended(NodeId from, Extended extended, Reading now) {
        Bundle bundle = bundles.of(extended.attempt());
        if (bundle != null) {
            bundles.onExtended(bundle, from, extended, now);
            return;
        }
        Claim claim = rounds.confirming(extended.attempt());
        if (claim == null) {
            return;
        }
        rounds.expireTenure(claim, now);
        Attempt attempt = claim.attempt;
        if (attempt != null
                && attempt.phase == Phase.EXTENDING
                && attempt.id == extended.attempt()
                && attempt.ballot.incarnation().equals(extended.incarnation())) {
            if (extended.missing().isEmpty()) {
                attempt.agreed(from);
                rounds.onAgreement(claim, attempt, now);
            } else {
                rounds.onUnknown(claim, attempt, from, now);
            }
        }
        settle(claim, now);
    }

    /** The acceptor does not know the list any more: it restarted, or has not heard of it for long. */
    void onUnlisted(NodeId from, Message.Unlisted unlisted) {
        Bundle bundle = bundles.of(unlisted.attempt());
        if (bundle != null && bundle.incarnation.equals(unlisted.incarnation())) {
            bundles.onUnlisted(bundle, from);
        }
    }

    /** A hint, so it only moves the next try forward. */
    void onReleased(NodeId from, Released hint, Reading now) {
        Claim claim = claims.get(hint.resource());
        if (claim != null && claim.attempt != null) {
            claim.attempt.freed(from);
        } else if (claim != null && claim.tenure == null && claim.retryAt != null) {
            Moment soon = now.moment().plusNanos(backoff.afterRelease(hint.ahead()));
            claim.retryAt = Moment.earlier(claim.retryAt, soon);
            settle(claim, now);
        }
    }

    /** Messages reach that acceptor again: it may have missed a release, and so may this node. */
    void onReachable(NodeId node, Reading now) {
        if (quorum.contains(node)) {
            rounds.onReachable(node);
            rounds.repeatReleases(node, resource -> isInUse(claims.get(resource)), now);
        }
        nudge(now);
    }

    /** Whoever waits for that node's answer need not wait any longer. */
    void onUnreachable(NodeId node, Reading now) {
        if (quorum.contains(node)) {
            rounds.onUnreachable(node);
            List.copyOf(claims.values()).forEach(claim -> settle(claim, now));
        }
    }

    private static boolean isInUse(@Nullable Claim claim) {
        return claim != null && (claim.tenure != null || claim.attempt != null);
    }

    /** More acceptors answer than before: whoever waits tries again soon. */
    void nudge(Reading now) {
        bundles.nudge(now);
        for (Claim claim : List.copyOf(claims.values())) {
            if (claim.retryAt != null) {
                Moment soon = now.moment().plusNanos(backoff.afterReachable());
                claim.retryAt = Moment.earlier(claim.retryAt, soon);
                settle(claim, now);
            }
        }
    }

    /** After a suspend or a clock step no deadline read before it can be trusted (section 5, Holder). */
    void suspect(Reading now) {
        for (Claim claim : List.copyOf(claims.values())) {
            rounds.suspect(claim, now);
            settle(claim, now);
        }
    }

    /**
     * This process may be a copy of an earlier state of itself, so its leases may be another's by now: nothing is
     * released in the old incarnation's name, and a new one is drawn.
     */
    void startAnew(Reading now) {
        counters.renewIncarnation();
        rounds.forgetReleases();
        for (Claim claim : List.copyOf(claims.values())) {
            rounds.disown(claim, Loss.SUSPENDED);
            claim.adopt(counters.incarnation());
            settle(claim, now);
        }
    }

    /** Releases every tenure, abandons every attempt, denies every request. */
    void shutdown(Reading now) {
        for (Claim claim : List.copyOf(claims.values())) {
            while (!claim.requests.isEmpty()) {
                rounds.deny(claim, claim.requests.getLast(), Denial.STOPPED);
            }
            if (claim.tenure != null) {
                rounds.endTenure(claim, now);
            }
            settle(claim, now);
        }
    }

    void wake(Reading now) {
        Timed timed = timers.poll(now.moment());
        while (timed != null) {
            if (timed instanceof Claim claim) {
                settle(claim, now);
            } else if (timed instanceof Bundle bundle) {
                bundles.wake(bundle, now);
            }
            timed = timers.poll(now.moment());
        }
    }

    /** Whoever asked once for what is held here has heard nothing of the holder in time. */
    private void denyUnheard(Claim claim, Reading now) {
        if (claim.tenure == null) {
            return;
        }
        for (AcquireRequest request : claim.requests.late(now.moment())) {
            if (request.patience() == AcquireRequest.Patience.ASK_ONCE) {
                claim.requests.remove(request);
                out.emit(new Effect.Denied(request.id(), claim.resource, Denial.HELD, self));
            }
        }
    }

    /** Does what has become due, then sets the timer, or forgets a claim that waits for nothing. */
    private void settle(Claim claim, Reading now) {
        rounds.expireTenure(claim, now);
        denyUnheard(claim, now);
        rounds.giveUpLateRequests(claim, now);
        rounds.timeOut(claim, now);
        rounds.noteAbsent(claim, now);
        rounds.startWhatIsDue(claim, now);
        if (claim.yieldUntil != null && !now.moment().isBefore(claim.yieldUntil)) {
            claim.yieldUntil = null;
        }
        if (claim.isIdle()) {
            claim.retryAt = null;
            counters.retire(claim);
            claims.remove(claim.resource);
        }
        timers.set(claim, claim.isIdle() ? null : claim.earliest());
    }

    @Nullable
    Moment nextDeadline() {
        return timers.next();
    }

    Incarnation incarnation() {
        return counters.incarnation();
    }

    Collection<Claim> claims() {
        return claims.values();
    }

    @Nullable
    Claim claim(String resource) {
        return claims.get(resource);
    }
}
