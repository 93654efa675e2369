package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.Timing;
import org.jspecify.annotations.Nullable;

/**
 * The proposer: acquires, renews and releases leases for its node, as long as the node takes part. Not thread-safe. It takes in
 * what happens; {@link AttemptDriver} has the rules.
 */
final class Proposer implements ResourceTable.Rules<ResourceState> {

    /** A request that asks once waits so long for the holder's word, and for the release that may follow from it. */
    static final long TIME_TO_HEAR = 50_000_000;

    private final ProposerContext context;
    private final Timing timing;
    private final Backoff backoff;
    private final AttemptDriver driver;
    private final WaitList waitList;
    private final EffectBuffer out;
    private final ResourceTable<ResourceState> table;

    Proposer(ProposerContext context, Timing timing, MajorityCache knowledge) {
        this.context = context;
        this.timing = timing;
        this.backoff = context.backoff();
        this.driver = new AttemptDriver(context, knowledge);
        this.waitList = context.waitList();
        this.out = context.out();
        NodeId self = context.life().self();
        this.table = new ResourceTable<>(self, timing.maxLeaseNanos(), TIME_TO_HEAR, this, out);
    }

    @Override
    public @Nullable Denial refusal(AcquireRequest request, Reading now) {
        if (request.leaseNanos() > timing.maxLeaseNanos() || request.leaseNanos() < 1_000) {
            return Denial.REFUSED;
        }
        return request.waitMode() == WaitMode.TRY_ONCE && !context.isServing() ? Denial.NO_MAJORITY : null;
    }

    @Override
    public ResourceState track(String resource, Reading now) {
        return new ResourceState(resource, context);
    }

    @Override
    public void expire(ResourceState state, Reading now) {
        state.expire(now);
    }

    @Override
    public void remove(ResourceState state, AcquireRequest request) {
        state.removeRequest(request);
    }

    @Override
    public void deny(ResourceState state, AcquireRequest request, Denial reason) {
        state.deny(request, reason);
    }

    /** Local requests for the same resource go on, but after those that wait elsewhere. */
    @Override
    public void giveUp(ResourceState state, Reading now) {
        if (state.tenure != null) {
            state.unusedUntil = state.tenure.until.moment().plusNanos(timing.maxLeaseNanos());
        }
        state.yields = !waitList.all(state.resource, now.moment()).isEmpty();
        state.endTenure();
    }

    /** Requests of other nodes that ask once have their answer. */
    @Override
    public void inUse(ResourceState state, Reading now) {
        waitList.takeOnce(state.resource, now.moment())
                .forEach(node -> out.send(node, new FleaseMessage.InUse(state.resource, state.token())));
    }

    @Override
    public void settle(ResourceState state, Reading now) {
        state.expire(now);
        if (state.askUntil != null && !now.moment().isBefore(state.askUntil)) { // nothing heard of the holder in time
            state.deny(state.requests.getFirst(), Denial.HELD);
        }
        table.denyLate(state, now);
        Attempt attempt = state.attempt;
        if (attempt != null && (!now.moment().isBefore(attempt.timeout) || attempt.isRuledOut(context.absent()))) {
            driver.fail(state, attempt, now);
        }
        if (state.unusedUntil != null && state.attempt == null && !now.moment().isBefore(state.unusedUntil)) {
            state.unusedUntil = null; // it is over by itself
            state.yields = false;
        }
        if (context.isServing()) {
            driver.startWhatIsDue(state, now);
        }
        if (state.yieldUntil != null && !now.moment().isBefore(state.yieldUntil)) {
            state.yieldUntil = null;
        }
    }

    @Override
    public @Nullable Moment earliest(ResourceState state) {
        return state.earliest(context.isServing());
    }

    /** Another node reads what is held here because it wants it. */
    void wanted(String resource) {
        ResourceState state = table.get(resource);
        if (state != null && state.tenure != null) {
            out.emit(new Effect.Wanted(resource, state.tenure.token));
        }
    }

    /** The holder's word. It may come before what it is about has been read. */
    void onInUse(FleaseMessage.InUse word, Reading now) {
        ResourceState state = table.get(word.resource());
        if (state == null || state.tenure != null || state.requests.isEmpty()) {
            return;
        }
        state.inUse = word.token();
        if (state.askUntil != null && state.isKnownToBeInUse()) {
            state.deny(state.requests.getFirst(), Denial.HELD);
        }
        table.settle(state, now);
    }

    void onFreed(FleaseMessage.Freed hint, Reading now) {
        ResourceState state = table.get(hint.resource());
        if (state == null || state.tenure != null || state.requests.isEmpty()) {
            return;
        }
        if (state.attempt != null) {
            state.attempt.freed = true;
        } else if (state.askUntil != null || state.retryAt != null) {
            Moment soon = now.moment().plusNanos(backoff.afterRelease(hint.ahead()));
            state.retryAt = state.retryAt == null ? soon : Moment.earlier(state.retryAt, soon);
            state.askUntil = null;
        }
        table.settle(state, now);
    }

    /** An answer to the attempt in flight; any other is ignored. */
    void onReply(NodeId from, FleaseMessage.Reply reply, Reading now) {
        ResourceState state = table.get(reply.resource());
        if (state == null) {
            return;
        }
        state.expire(now);
        Attempt attempt = state.attempt;
        if (attempt != null && attempt.isEcho(reply)) {
            if (attempt.isAgreement(reply)) {
                driver.onAgreement(state, attempt, from, reply, now);
            } else if (reply instanceof FleaseMessage.Nack nack && !attempt.hasAgreed(from)) {
                attempt.refused(from, nack.highest());
            }
        }
        table.settle(state, now);
    }

    void onReachable(NodeId node, Reading now) {
        context.absent().remove(node);
        retrySoon(now);
    }

    /** Attempts need not wait for that node's answer, nor requests for its word. */
    void onUnreachable(NodeId node, Reading now) {
        context.absent().add(node);
        for (ResourceState state : table.copy()) {
            if (state.askUntil != null && node.equals(state.holder())) {
                state.deny(state.requests.getFirst(), Denial.HELD);
            }
            table.settle(state, now);
        }
    }

    /** More can be done than before: what waits is tried again soon. */
    void retrySoon(Reading now) {
        for (ResourceState state : table.copy()) {
            if (state.retryAt != null) {
                Moment soon = now.moment().plusNanos(backoff.afterReachable());
                state.retryAt = Moment.earlier(state.retryAt, soon);
            }
            table.settle(state, now);
        }
    }

    /** The node takes no part any more: nothing that rests on its clock can be relied on. */
    void standBack(Loss reason, Reading now) {
        for (ResourceState state : table.copy()) {
            state.expire(now);
            state.disown(reason);
            state.attempt = null;
            state.retryAt = null;
            state.unusedUntil = null;
            state.yields = false;
            table.denyAskingOnce(state, Denial.NO_MAJORITY);
            table.settle(state, now);
        }
    }

    /** Nothing is done in an earlier life's name any more. After {@link #standBack}. */
    void startOver(Incarnation fresh) {
        context.life().startOver(fresh, context.quorum().size() == 1);
        table.all().forEach(state -> state.learnt = Round.NONE);
    }

    /** Releases every tenure, denies every request. */
    void shutdown(Reading now) {
        for (ResourceState state : table.copy()) {
            state.expire(now);
            table.denyAll(state, Denial.STOPPED);
            Tenure tenure = state.tenure;
            if (tenure != null) {
                releaseAtOnce(state, tenure, now);
                state.endTenure();
            }
        }
        table.clear();
    }

    /**
     * Writes without reading first: there is no time to wait for answers any more. While the own tenure lasts, no node can have
     * written anything but that tenure. A copy may come after its end: the next holder then holds by a later slot. A tenure that
     * nearly ends by itself is left to that.
     */
    private void releaseAtOnce(ResourceState state, Tenure tenure, Reading now) {
        WriterIdentity life = context.life();
        Round round = life.nextRound(state, now);
        if (context.bound().isWellBeforeEnd(round, tenure.until.wallMicros())) {
            Value released = new Value(null, 0, tenure.token);
            context.broadcast(new FleaseMessage.Write(state.resource, round, life.nextAttempt(), released));
            waitList.tellFreed(state.resource, 1, now.moment(), out);
        }
    }

    ResourceTable<ResourceState> table() {
        return table;
    }
}
