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
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The proposer (section 5, P0 to P8): acquires, renews and releases leases for its node. Not thread-safe. It takes in what
 * happens; {@link Attempt}, {@link Tenures} and {@link RenewalBatch} have the rules.
 */
final class Proposer implements ResourceTable.Rules<ResourceState> {

    private final Generations generations;
    private final long longestLeaseNanos;
    private final Backoff backoff;
    private final Counters counters;
    private final CounterAdvice counterAdvice;
    private final LocalAcceptor here;
    private final EffectBuffer out;
    private final ResourceTable<ResourceState> table;
    private final AttemptDriver driver;
    private final Tenures tenures;
    private final RenewalBatches batches;
    private final Answers answers;

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
        this.out = out;
        this.table = new ResourceTable<>(self, longestLeaseNanos, QueueAdvice.TIME_TO_HEAR, this, out);
        ProposerContext context = new ProposerContext(self, generations, timing, counterAdvice, backoff, here, out);
        this.driver = new AttemptDriver(context, table.timers(), table::settle);
        this.tenures = driver.tenures();
        this.batches = driver.batches();
        this.answers = new Answers(context, table, driver);
    }

    Counters counters() {
        return counters;
    }

    @Override
    public @Nullable Denial refusal(AcquireRequest request, Reading now) {
        return request.leaseNanos() > longestLeaseNanos || request.leaseNanos() <= 0 ? Denial.REFUSED : null;
    }

    @Override
    public ResourceState track(String resource, Reading now) {
        return new ResourceState(resource, counters.incarnation());
    }

    @Override
    public void expire(ResourceState state, Reading now) {
        tenures.expire(state, now);
    }

    @Override
    public void remove(ResourceState state, AcquireRequest request) {
        driver.denials().removeRequest(state, request);
    }

    @Override
    public void deny(ResourceState state, AcquireRequest request, Denial reason) {
        driver.denials().deny(state, request, reason);
    }

    /** P6. Local requests for the same resource go on, but after those that wait elsewhere. */
    @Override
    public void giveUp(ResourceState state, Reading now) {
        Wishes wishes = state.wishes;
        int waitingElsewhere = here.waitingForHint(state.resource, now);
        if (wishes != null && wishes.highestQueued() > 0) {
            state.followsUntil = now.moment().plusNanos(QueueAdvice.FRESH);
        } else if (wishes != null && wishes.isForHint()) {
            waitingElsewhere = 1;
        }
        tenures.release(state, now);
        if (waitingElsewhere > 0) {
            state.yieldUntil = now.moment().plusNanos(backoff.afterRelease(waitingElsewhere));
        }
    }

    @Override
    public void settle(ResourceState state, Reading now) {
        tenures.expire(state, now);
        table.denyLate(state, now);
        driver.timeOut(state, now);
        driver.noteAbsent(state, now);
        driver.startWhatIsDue(state, now);
        if (state.awaitedUntil != null && !now.moment().isBefore(state.awaitedUntil)) {
            tenures.releaseAwaited(state);
        }
        if (state.yieldUntil != null && !now.moment().isBefore(state.yieldUntil)) {
            state.yieldUntil = null;
        }
        if (state.followsUntil != null && !now.moment().isBefore(state.followsUntil)) {
            state.followsUntil = null;
        }
    }

    @Override
    public @Nullable Moment earliest(ResourceState state) {
        return state.earliest();
    }

    @Override
    public void forget(ResourceState state) {
        state.retryAt = null;
        counters.retire(state);
    }

    @Override
    public void wake(Timed timed, Reading now) {
        if (timed instanceof RenewalBatch batch) {
            batches.wake(batch, now);
        }
    }

    /** Another node was refused because of a lease; if it is this node's, its holder hears of it. */
    void wanted(Held held) {
        ResourceState state = table.get(held.resource());
        if (state != null
                && state.tenure != null
                && !state.tenure.suspect
                && held.owner().incarnation().equals(state.incarnation)) {
            out.emit(new Effect.Wanted(state.resource, state.tenure.token));
        }
    }

    /** The lease is in use here: the acceptors that have told of nodes that ask once tell them. */
    void sayInUse(String resource, long token) {
        ResourceState state = table.get(resource);
        if (state != null && state.tenure != null && state.tenure.token == token && state.wishes != null) {
            StillInUse inUse = new StillInUse(resource, state.incarnation);
            state.wishes.takeAsking().forEach(acceptor -> out.send(acceptor, inUse));
        }
    }

    Answers answers() {
        return answers;
    }

    /** Messages reach that acceptor again: it may have missed a release, and so may this node. */
    void onReachable(NodeId node, Reading now) {
        driver.onReachable(node);
        if (generations.quorum().contains(node)) {
            tenures.repeatReleases(node, resource -> isInUse(table.get(resource)), now);
            nudge(now); // of other nodes none answers anything
        }
    }

    /** Attempts need not wait for that node's answer. */
    void onUnreachable(NodeId node, Reading now) {
        generations.unreachable(node);
        if (generations.everyone().contains(node)) { // of others it would remember any number
            driver.onUnreachable(node);
            table.copy().forEach(state -> table.settle(state, now));
        }
    }

    private static boolean isInUse(@Nullable ResourceState state) {
        return state != null && (state.tenure != null || state.attempt != null);
    }

    /** More acceptors answer than before: what waits is tried again soon. */
    void nudge(Reading now) {
        batches.nudge(now);
        for (ResourceState state : table.copy()) {
            if (state.retryAt != null && !state.benched) {
                Moment soon = now.moment().plusNanos(backoff.afterReachable());
                state.retryAt = Moment.earlier(state.retryAt, soon);
                table.settle(state, now);
            }
        }
    }

    /**
     * R8: what is under way is of a mode that is over. It ends before the next mode begins, and is asked for again in that one; tenures
     * keep their deadlines.
     */
    void changeMode(Reading now) {
        for (ResourceState state : table.copy()) {
            tenures.releaseAwaited(state);
            batches.leave(state);
            tenures.abandon(state);
        }
        generations.changeMode(now);
        for (ResourceState state : table.copy()) {
            if (state.retryAt != null) {
                state.retryAt = now.moment().plusNanos(backoff.afterReachable());
            }
            if (state.tenure != null && state.tenure.isRenewed()) {
                state.tenure.renewAt(now.moment());
            }
            table.settle(state, now);
        }
    }

    /** After a suspend or a clock step no deadline read before it can be trusted (section 5, Holder). */
    void suspect(Reading now) {
        for (ResourceState state : table.copy()) {
            tenures.suspect(state, now);
            table.settle(state, now);
        }
    }

    /**
     * This process may be a copy of an earlier state of itself, so its leases may be another's by now: nothing is
     * released in the old incarnation's name, and a new one is drawn.
     */
    void startAnew(Reading now) {
        counterAdvice.renewIncarnation();
        tenures.forgetReleases();
        for (ResourceState state : table.copy()) {
            tenures.disown(state, Loss.SUSPENDED);
            counterAdvice.adopt(state);
            table.settle(state, now);
        }
    }

    /** Releases every tenure, abandons every attempt, denies every request. */
    void shutdown(Reading now) {
        for (ResourceState state : table.copy()) {
            table.denyAll(state, Denial.STOPPED);
            if (state.tenure != null) {
                tenures.release(state, now);
            }
            tenures.releaseAwaited(state);
            table.settle(state, now);
        }
    }

    ResourceTable<ResourceState> table() {
        return table;
    }
}
