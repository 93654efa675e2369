package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import java.util.Set;

/** How requests tenures without a lease. */
final class Denials {

    /** How often a request that asks once tries again when only another's ballot, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    private final ProposerContext context;
    private final QueueAdvice queue;
    private final Tenures tenures;

    Denials(ProposerContext context, QueueAdvice queue, Tenures tenures) {
        this.context = context;
        this.queue = queue;
        this.tenures = tenures;
    }

    /**
     * An attempt to acquire has failed: a request that asks once is denied, unless it was in a duel, or may hear of the holder. Any
     * request is denied that the acceptors keep no lease for.
     *
     * @param answered whether a majority answered
     * @param held whether a live lease was in the way
     */
    void onFailure(
            ResourceState state,
            Attempt attempt,
            boolean answered,
            boolean held,
            Set<NodeId> unreachable,
            Reading now) {
        AcquireRequest request = state.requests.peek();
        if (request != null && attempt.hints.refusals.isTooMany()) {
            deny(state, request, Denial.TOO_MANY);
            state.retryAt = null;
            return;
        }
        if (request == null || request.waitMode() != WaitMode.TRY_ONCE) {
            return;
        }
        boolean reachable = state.lastHeld != null && !unreachable.contains(state.lastHeld.ownerNode());
        if (held && !attempt.hints.inUse && queue.awaitsHolder(state, reachable, now)) {
            state.askedBy = attempt.id;
            state.retryAt = state.askUntil;
        } else if (!answered || held || state.failures > DUELS_OF_ONE_REQUEST) {
            deny(state, request, held ? Denial.HELD : answered ? Denial.CONTENDED : Denial.NO_MAJORITY);
            state.retryAt = null;
        }
    }

    /** The holder's node says that the lease is in use: a request that asks once has its answer. */
    void onInUse(ResourceState state, InUse inUse) {
        AcquireRequest request = state.requests.peek();
        if (state.attempt != null && state.attempt.isEcho(inUse)) {
            state.attempt.hints.inUse = true;
        } else if (state.attempt == null
                && state.tenure == null
                && request != null
                && request.waitMode() == WaitMode.TRY_ONCE
                && state.askUntil != null
                && state.askedBy == inUse.attempt()
                && inUse.ballot().incarnation().equals(state.incarnation)) {
            deny(state, request, Denial.HELD);
            state.retryAt = null;
        }
    }

    void deny(ResourceState state, AcquireRequest request, Denial reason) {
        removeRequest(state, request);
        NodeId holder = state.lastHeld == null ? null : state.lastHeld.ownerNode();
        boolean heldHere = state.tenure != null && reason == Denial.HELD;
        context.out().emit(new Effect.Denied(request.id(), state.resource, reason, heldHere ? context.self() : holder));
    }

    /** The attempt in flight, if any, was made for the first request, with its lease time. */
    void removeRequest(ResourceState state, AcquireRequest request) {
        boolean first = request.equals(state.requests.peek());
        state.requests.remove(request);
        if (first && state.tenure == null) {
            tenures.abandon(state);
            state.turnsToNextRequest();
        }
    }
}
