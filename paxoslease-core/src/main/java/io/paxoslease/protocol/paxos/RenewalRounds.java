package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Sends the rounds in which batches are renewed, and hands their answers to {@link RenewalBatch}, which has the rules. Advice. */
final class RenewalRounds {

    private final ProposerContext context;
    private final EffectBuffer out;
    private final RenewalBatches batches;
    private final LongSupplier attemptIds;
    private final Map<Long, RenewalBatch> byAttempt = new LinkedHashMap<>();
    private long lastBatchId;

    RenewalRounds(ProposerContext context, RenewalBatches batches, LongSupplier attemptIds) {
        this.context = context;
        this.out = context.out();
        this.batches = batches;
        this.attemptIds = attemptIds;
    }

    /** Answers to its last round are looked up no more. */
    void forget(RenewalBatch batch) {
        byAttempt.remove(batch.attempt());
    }

    void begin(RenewalBatch batch, Reading now) {
        byAttempt.remove(batch.attempt());
        batch.begin(attemptIds.getAsLong(), () -> ++lastBatchId, now);
        byAttempt.put(batch.attempt(), batch);
        batch.timeout = now.moment().plusNanos(Backoff.round(batch.leaseNanos));
        ask(batch);
    }

    /** Asks the acceptors that have not answered yet: the same round, with the same deadline (P1). */
    void ask(RenewalBatch batch) {
        Request inFull = null;
        for (NodeId acceptor : context.quorum().acceptors()) {
            if (batch.hasAnswered(acceptor)) {
                continue;
            }
            if (batch.isKnownBy(acceptor)) {
                out.send(acceptor, batch.byId());
            } else {
                inFull = inFull == null ? batch.inFull() : inFull;
                out.send(acceptor, inFull);
            }
        }
    }

    /** The batch that the answer is for; null when it is for none. */
    @Nullable
    RenewalBatch of(long attempt) {
        return byAttempt.get(attempt);
    }

    void onExtended(RenewalBatch batch, NodeId from, Extended extended, Reading now) {
        if (batch.hasAnswered(from) || !batch.incarnation.equals(extended.incarnation())) {
            return;
        }
        batches.dropEnded(batch, now);
        List<Claim> missing = batch.take(from, extended);
        if (missing == null) {
            return;
        }
        for (Claim claim : missing) {
            if (claim.tenure() != null) {
                claim.tenure().needsRepropose = true;
                claim.tenure().renewAt(now.moment());
                batches.settleAlone(claim, now);
            }
        }
        batches.discardIfEmpty(batch);
        if (batch.timeout != null && batch.hasQuorumBeforeDeadline(now)) {
            batch.timeout = null;
            batch.failures = 0;
            if (!batch.extend(out, now)) {
                batches.leaveUnrenewed(batch);
            }
        }
        for (int position : extended.wanted()) {
            Claim claim = batch.member(position);
            if (claim != null && claim.tenure() != null) {
                NoteAdvice.heardWanted(claim, now);
                out.emit(new Effect.Wanted(claim.resource, claim.tenure().token));
            }
        }
        batches.setTimer(batch);
    }

    /** The same round may be sent again, with the same deadline (P1). */
    void onUnknownBatch(RenewalBatch batch, NodeId from, PaxosMessage.UnknownBatch unknown) {
        if (batch.isForgottenBy(from, unknown)) {
            out.send(from, batch.inFull());
        }
    }
}
