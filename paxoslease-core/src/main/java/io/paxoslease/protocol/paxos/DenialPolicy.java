package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import java.util.Set;

/** How requests end without a lease. */
final class DenialPolicy {

    /** How often a request that asks once tries again when only another's ballot, no lease, was in its way. */
    private static final int DUELS_OF_ONE_REQUEST = 3;

    private final ProposerContext context;
    private final QueueAdvice queue;
    private final Tenures tenures;

    DenialPolicy(ProposerContext context, QueueAdvice queue, Tenures tenures) {
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
    void onFailure(Claim claim, Attempt attempt, boolean answered, boolean held, Set<NodeId> unreachable, Reading now) {
        AcquireRequest request = claim.requests.peek();
        if (request != null && attempt.hints.refusals.isTooMany()) {
            deny(claim, request, Denial.TOO_MANY);
            claim.waitOver();
            return;
        }
        if (request == null || request.waitMode() != WaitMode.TRY_ONCE) {
            return;
        }
        Held lastHeld = claim.lastHeld();
        boolean reachable = lastHeld != null && !unreachable.contains(lastHeld.ownerNode());
        boolean awaits = held && !attempt.hints.isInUse() && reachable;
        Moment askUntil = awaits ? queue.awaitsHolderUntil(claim, now) : null;
        if (askUntil != null) {
            claim.turn().awaitsHolder(attempt);
            claim.retriesAt(askUntil);
        } else if (!answered || held || claim.failures() > DUELS_OF_ONE_REQUEST) {
            deny(claim, request, held ? Denial.HELD : answered ? Denial.CONTENDED : Denial.NO_MAJORITY);
            claim.waitOver();
        }
    }

    /** The holder's node says that the lease is in use: a request that asks once has its answer. */
    void onInUse(Claim claim, InUse inUse) {
        AcquireRequest request = claim.requests.peek();
        Attempt attempt = claim.attempt();
        if (attempt != null && attempt.isEcho(inUse)) {
            attempt.hints.heardInUse();
        } else if (attempt == null
                && claim.tenure() == null
                && request != null
                && request.waitMode() == WaitMode.TRY_ONCE
                && claim.awaitsHolder(inUse.attempt())
                && inUse.ballot().incarnation().equals(claim.incarnation)) {
            deny(claim, request, Denial.HELD);
            claim.waitOver();
        }
    }

    void deny(Claim claim, AcquireRequest request, Denial reason) {
        removeRequest(claim, request);
        Held lastHeld = claim.lastHeld();
        NodeId holder = lastHeld == null ? null : lastHeld.ownerNode();
        boolean heldHere = claim.tenure() != null && reason == Denial.HELD;
        context.out().emit(new Effect.Denied(request.id(), claim.resource, reason, heldHere ? context.self() : holder));
    }

    /** The attempt in flight, if any, was made for the first request, with its lease time. */
    void removeRequest(Claim claim, AcquireRequest request) {
        boolean first = request.equals(claim.requests.peek());
        claim.requests.remove(request);
        if (first && claim.tenure() == null) {
            tenures.abandon(claim);
            claim.turnOver();
        }
    }
}
