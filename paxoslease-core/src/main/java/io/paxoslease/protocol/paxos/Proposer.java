package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.ClaimState.BackingOff;
import io.paxoslease.protocol.paxos.ClaimState.LateAnswers;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The proposer (section 5, P0 to P8): acquires, renews and releases leases for its node. Not thread-safe. It takes in what
 * happens; {@link Attempt}, {@link Tenures} and {@link RenewalBatch} have the rules.
 */
final class Proposer implements ResourceTable.Rules<Claim> {

    private final Generations generations;
    private final long longestLeaseNanos;
    private final Backoff backoff;
    private final Counters counters;
    private final CounterAdvice counterAdvice;
    private final LocalAcceptor here;
    private final RecentReleases released;
    private final EffectBuffer out;
    private final ResourceTable<Claim> table;
    private final AttemptDriver driver;
    private final Tenures tenures;
    private final RenewalBatches batches;
    private final Nominations nominations;
    private final AnswerHandler answers;

    Proposer(
            NodeId self,
            Generations generations,
            Generation generation,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            LocalAcceptor here,
            EffectBuffer out) {
        Timing timing = generation.timing(false);
        this.generations = generations;
        this.longestLeaseNanos = generation.longestLeaseNanos();
        this.backoff = new Backoff(random);
        this.counters = new Counters(incarnations);
        this.counterAdvice = new CounterAdvice(counters, timing);
        this.here = here;
        this.released = new RecentReleases(timing);
        this.out = out;
        this.table = new ResourceTable<>(self, longestLeaseNanos, QueueAdvice.TIME_TO_HEAR, this, out);
        ProposerContext context =
                new ProposerContext(self, generations, timing, counterAdvice, backoff, here, released, out);
        this.driver = new AttemptDriver(context, table.timers(), table::settle);
        this.tenures = driver.tenures();
        this.batches = driver.batches();
        this.nominations = new Nominations(context, table, driver::isUnreachable);
        this.answers = new AnswerHandler(context, table, driver, nominations);
    }

    Counters counters() {
        return counters;
    }

    @Override
    public @Nullable Denial refusal(AcquireRequest request, Reading now) {
        long longest = Math.max(request.leaseNanos(), request.heldNanos());
        return longest > longestLeaseNanos || request.leaseNanos() <= 0 ? Denial.REFUSED : null;
    }

    @Override
    public Claim track(String resource, Reading now) {
        return new Claim(resource, counters.incarnation());
    }

    @Override
    public void expire(Claim claim, Reading now) {
        tenures.expire(claim, now);
    }

    @Override
    public void remove(Claim claim, AcquireRequest request) {
        driver.denials().removeRequest(claim, request);
    }

    @Override
    public void deny(Claim claim, AcquireRequest request, Denial reason) {
        driver.denials().deny(claim, request, reason);
    }

    /** P6. Local requests for the same resource go on, but after those that wait elsewhere. */
    @Override
    public void giveUp(Claim claim, Reading now) {
        giveUp(claim, null, now);
    }

    /** Q15. */
    @Override
    public void giveUpTo(Claim claim, NodeId successor, Reading now) {
        giveUp(claim, successor, now);
    }

    private void giveUp(Claim claim, @Nullable NodeId successor, Reading now) {
        ReportedWaiters waiters = claim.waiters();
        int waitingElsewhere = here.waitingForHint(claim.resource, now);
        Moment followUntil = null;
        if (waiters != null && waiters.highestQueued() > 0) {
            followUntil = now.moment().plusNanos(QueueAdvice.FRESH);
        } else if (waiters != null && waiters.isForHint()) {
            waitingElsewhere = 1;
        }
        tenures.release(claim, successor, now);
        Moment yieldUntil =
                waitingElsewhere > 0 ? now.moment().plusNanos(backoff.afterRelease(waitingElsewhere)) : null;
        claim.yielded(yieldUntil, followUntil);
    }

    /** Silence is always safe: the records expire. The node stops; a request that began now would be released with the records of this tenure. */
    @Override
    public void letExpire(Claim claim, Reading now) {
        table.denyAll(claim, Denial.STOPPED);
        tenures.disown(claim, Loss.EXPIRED); // nobody hears of it: here it has ended before
        table.settle(claim, now);
    }

    /** X4. */
    @Override
    public void annotate(Claim claim, String note, Reading now) {
        NoteAdvice.change(claim, note, now);
    }

    @Override
    public void settle(Claim claim, Reading now) {
        tenures.expire(claim, now);
        table.denyLate(claim, now);
        driver.timeOut(claim, now);
        driver.noteAbsent(claim, now);
        driver.startWhatIsDue(claim, now);
        LateAnswers late = claim.state().lateAnswers();
        if (late != null && !now.moment().isBefore(late.until())) {
            tenures.releaseUnanswered(claim);
        }
        claim.yieldOver(now.moment());
    }

    @Override
    public @Nullable Moment earliest(Claim claim) {
        return claim.earliest();
    }

    @Override
    public void forget(Claim claim) {
        claim.waitOver();
        counters.retire(claim);
    }

    @Override
    public void wake(Timed timed, Reading now) {
        if (timed instanceof RenewalBatch batch) {
            batches.wake(batch, now);
        } else {
            nominations.wake(timed, now);
        }
    }

    /** Another node was refused because of a lease; if it is this node's, its holder hears of it. */
    void wanted(String resource, Incarnation owner) {
        Claim claim = table.get(resource);
        Tenure tenure = claim == null ? null : claim.tenure();
        if (claim != null && tenure != null && !tenure.suspect && owner.equals(claim.incarnation)) {
            out.emit(new Effect.Wanted(claim.resource, tenure.token, here.firstWaiter(resource)));
        }
    }

    /** The lease is in use here: the acceptors that have told of nodes that ask once tell them. */
    void sayInUse(String resource, long token) {
        Claim claim = table.held(resource, token);
        ReportedWaiters waiters = claim == null ? null : claim.waiters();
        if (claim != null && waiters != null) {
            StillInUse inUse = new StillInUse(resource, claim.incarnation);
            waiters.takeAsking().forEach(acceptor -> out.send(acceptor, inUse));
        }
    }

    Nominations nominations() {
        return nominations;
    }

    AnswerHandler answers() {
        return answers;
    }

    /** Messages reach that acceptor again: it may have missed a release, and so may this node. */
    void onReachable(NodeId node, Reading now) {
        driver.onReachable(node);
        if (generations.quorum().contains(node)) {
            repeatReleases(node, now);
            retrySoon(now); // of other nodes none answers anything
        }
    }

    /** Attempts need not wait for that node's answer. */
    void onUnreachable(NodeId node, Reading now) {
        generations.unreachable(node);
        if (generations.everyone().contains(node)) { // of others it would remember any number
            driver.onUnreachable(node);
            table.copy().forEach(claim -> table.settle(claim, now));
        }
    }

    /**
     * A release may be repeated at any time (P0): what that acceptor may not have heard while it was out of reach, unless a later attempt
     * is under way.
     */
    private void repeatReleases(NodeId acceptor, Reading now) {
        for (PaxosMessage.Release release : released.recent(now.moment())) {
            if (!isInUse(table.get(release.resource()))) {
                out.send(acceptor, release);
            }
        }
    }

    private static boolean isInUse(@Nullable Claim claim) {
        return claim != null && (claim.tenure() != null || claim.attempt() != null);
    }

    /** More acceptors answer than before: what waits is tried again soon. */
    void retrySoon(Reading now) {
        batches.retrySoon(now);
        for (Claim claim : table.copy()) {
            Moment retryAt = claim.state().retryAt();
            boolean isDeferred = claim.state() instanceof BackingOff backingOff && backingOff.isDeferred;
            if (retryAt != null && !isDeferred) {
                Moment soon = now.moment().plusNanos(backoff.afterReachable());
                claim.retriesAt(Moment.earlier(retryAt, soon));
                table.settle(claim, now);
            }
        }
    }

    /**
     * R8: what is under way is of a mode that is over. It ends before the next mode begins, and is asked for again in that one; tenures
     * keep their deadlines.
     */
    void changeMode(Reading now) {
        for (Claim claim : table.copy()) {
            tenures.releaseUnanswered(claim);
            batches.leave(claim);
            tenures.abandon(claim);
        }
        generations.changeMode(now);
        for (Claim claim : table.copy()) {
            if (claim.state().retryAt() != null) {
                claim.retriesAt(now.moment().plusNanos(backoff.afterReachable()));
            }
            Tenure tenure = claim.tenure();
            if (tenure != null && tenure.isRenewed()) {
                tenure.renewAt(now.moment());
            }
            table.settle(claim, now);
        }
    }

    /** After a suspend or a clock step no deadline read before it can be trusted (section 5, Holder). */
    void suspect(Reading now) {
        for (Claim claim : table.copy()) {
            tenures.suspect(claim, now);
            table.settle(claim, now);
        }
    }

    /**
     * This process may be a copy of an earlier state of itself, so its leases may be another's by now: nothing is
     * released in the old incarnation's name, and a new one is drawn.
     */
    void startOver(Reading now) {
        counterAdvice.renewIncarnation();
        released.clear(); // H4: their leases may be a copy's of this process by now
        for (Claim claim : table.copy()) {
            tenures.disown(claim, Loss.SUSPENDED);
            counterAdvice.adopt(claim);
            table.settle(claim, now);
        }
    }

    /** Releases every tenure, abandons every attempt, denies every request. */
    void shutdown(Reading now) {
        nominations.shutdown();
        for (Claim claim : table.copy()) {
            table.denyAll(claim, Denial.STOPPED);
            if (claim.tenure() != null) {
                tenures.release(claim, null, now);
            }
            tenures.releaseUnanswered(claim);
            table.settle(claim, now);
        }
    }

    ResourceTable<Claim> table() {
        return table;
    }
}
