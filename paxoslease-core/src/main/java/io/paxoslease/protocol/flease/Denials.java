package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.Attempt.Kind;
import org.jspecify.annotations.Nullable;

/** How requests wait for a lease that another holds, and how they end without it. */
final class Denials {

    private final ProposerContext context;

    Denials(ProposerContext context) {
        this.context = context;
    }

    /** Step 2, and the outcome of step 4 for another's lease: it may be taken when the bound has passed after its end. */
    void onHeldByOther(ResourceState state, Attempt attempt, Value held, Reading now) {
        state.attempt = null;
        state.failures = 0;
        state.held = held;
        state.unusedUntil = null;
        AcquireRequest first = state.requests.getFirst();
        if (attempt.freed) {
            state.retryAt = now.moment().plusNanos(context.backoff().afterReachable());
        } else if (first.waitMode() == WaitMode.WAIT) {
            long wait = (context.bound().freeAt(held) - now.wallMicros()) * 1_000;
            state.retryAt = now.moment().plusNanos(context.backoff().untilFree(wait, attempt.leaseNanos));
        } else if (AttemptDriver.hasEnded(held, now)
                || isKnownToBeInUse(state)
                || context.absent().contains(state.holder())) {
            deny(state, first, Denial.HELD);
        } else {
            state.askUntil = now.moment().plusNanos(Proposer.TIME_TO_HEAR);
        }
    }

    boolean isKnownToBeInUse(ResourceState state) {
        return state.inUse == state.held.token() && state.inUse != 0;
    }

    static void abandon(ResourceState state, Attempt attempt) {
        state.attempt = null;
        state.renewals.addAll(attempt.renewals);
    }

    /** Also removes it, and what is under way for it. */
    void deny(ResourceState state, AcquireRequest request, Denial reason) {
        NodeId holder = reason == Denial.HELD || reason == Denial.TIMED_OUT ? holder(state) : null;
        removeRequest(state, request);
        context.out().emit(new Effect.Denied(request.id(), state.resource, reason, holder));
    }

    private @Nullable NodeId holder(ResourceState state) {
        return state.tenure != null ? context.life().self() : state.holder();
    }

    void removeRequest(ResourceState state, AcquireRequest request) {
        boolean first = request.equals(state.requests.peek());
        state.requests.remove(request);
        if (first && state.tenure == null) {
            state.turnsToNextRequest();
            state.retryAt = null;
            if (state.attempt != null && state.attempt.kind == Kind.ACQUIRE) {
                abandon(state, state.attempt);
            }
        }
    }
}
