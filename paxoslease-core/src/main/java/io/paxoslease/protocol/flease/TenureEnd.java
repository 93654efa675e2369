package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.List;
import java.util.function.LongSupplier;

/** How tenures end, and how a lease is given back. */
final class TenureEnd {

    private final ProposerContext context;
    private final EffectBuffer out;
    private final LongSupplier attemptIds;

    /** @param attemptIds the number of the next attempt */
    TenureEnd(ProposerContext context, LongSupplier attemptIds) {
        this.context = context;
        this.out = context.out();
        this.attemptIds = attemptIds;
    }

    /** The owner stops by its own clocks. */
    void expire(ResourceState state, Reading now) {
        if (state.tenure != null && state.tenure.isOver(now)) {
            disown(state, Loss.EXPIRED);
        }
    }

    void disown(ResourceState state, Loss reason) {
        Tenure tenure = state.tenure;
        if (tenure != null) {
            endTenure(state);
            out.emit(new Effect.Lost(state.resource, tenure.token, reason));
        }
    }

    /** Ends what is held, and what is under way to hold on. */
    void endTenure(ResourceState state) {
        state.tenure = null;
        state.retryAt = null;
        state.failures = 0;
        if (state.attempt != null) {
            Denials.abandon(state, state.attempt);
        }
        state.failRenewals(out);
    }

    /**
     * Writes without reading first: there is no time to wait for answers any more. While the own tenure lasts, no node can have
     * written anything but that tenure. A copy may come after its end: the next holder then holds by a later slot. A tenure that
     * nearly ends by itself is left to that.
     */
    void releaseAtOnce(ResourceState state, Tenure tenure, Reading now) {
        Value released = new Value(null, 0, tenure.token);
        Round round = context.life().nextRound(state, now);
        if (!context.bound().isWellBeforeEnd(round, tenure.until().wallMicros())) {
            return;
        }
        context.broadcast(new FleaseMessage.Write(state.resource, round, attemptIds.getAsLong(), released));
        tellWaiting(state.resource, 1, now);
    }

    /** The register is empty. */
    void commitRelease(ResourceState state, Reading now) {
        state.attempt = null;
        state.unusedUntil = null;
        state.failures = 0;
        int waiting = tellWaiting(state.resource, 0, now);
        if (state.yields && waiting > 0) {
            state.yieldUntil = now.moment().plusNanos(context.backoff().afterRelease(waiting));
        }
        state.yields = false;
    }

    /** Answers how many nodes wait. */
    private int tellWaiting(String resource, int ahead, Reading now) {
        List<NodeId> waiting = context.waitList().all(resource, now.moment());
        for (int i = 0; i < waiting.size(); i++) {
            out.send(waiting.get(i), new FleaseMessage.Freed(resource, i + ahead));
        }
        return waiting.size();
    }
}
