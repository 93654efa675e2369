package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TenureList;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The rounds in which batches are renewed (P1, P3, P4, EXTEND). */
final class RenewalRounds {

    private final Quorum quorum;
    private final EffectBuffer out;
    private final RenewalBatches batches;
    private final LongSupplier attemptIds;
    private final Map<Long, RenewalBatch> byAttempt = new LinkedHashMap<>();
    private long lists;

    RenewalRounds(ProposerContext context, RenewalBatches batches, LongSupplier attemptIds) {
        this.quorum = context.quorum();
        this.out = context.out();
        this.batches = batches;
        this.attemptIds = attemptIds;
    }

    /** Answers to its last round are answers to nothing. */
    void forget(RenewalBatch batch) {
        byAttempt.remove(batch.attempt);
    }

    /** P1: the deadline is fixed before anything is sent. */
    void begin(RenewalBatch batch, Reading now) {
        if (batch.batchId == Extend.UNNUMBERED) {
            batch.close();
            batch.batchId = ++lists;
            batch.knownBy.clear();
        }
        byAttempt.remove(batch.attempt);
        batch.attempt = attemptIds.getAsLong();
        byAttempt.put(batch.attempt, batch);
        batch.until = now.plusNanos(batch.leaseNanos);
        batch.timeout = now.moment().plusNanos(Backoff.round(batch.leaseNanos));
        batch.answered.clear();
        ask(batch);
    }

    /** Asks the acceptors that have not answered yet. */
    void ask(RenewalBatch batch) {
        Extend whole = null;
        for (NodeId acceptor : quorum.acceptors()) {
            if (batch.answered.contains(acceptor)) {
                continue;
            }
            if (batch.knownBy.contains(acceptor)) {
                out.send(acceptor, message(batch, List.of()));
            } else {
                whole = whole == null ? message(batch, extensions(batch)) : whole;
                out.send(acceptor, whole);
            }
        }
    }

    private Extend message(RenewalBatch batch, List<Extension> extensions) {
        return new Extend(batch.incarnation, batch.attempt, batch.leaseNanos, batch.batchId, extensions);
    }

    private static List<Extension> extensions(RenewalBatch batch) {
        List<Extension> extensions = new ArrayList<>(batch.size);
        for (ResourceState member : batch.members) {
            if (member != null && member.tenure != null) {
                extensions.add(new Extension(member.resource, member.tenure.counter));
            }
        }
        return extensions;
    }

    /** The batch that the answer is for; null when it is for none. */
    @Nullable
    RenewalBatch of(long attempt) {
        return byAttempt.get(attempt);
    }

    void onExtended(RenewalBatch batch, NodeId from, Extended extended, Reading now) {
        Reading until = batch.until;
        if (until == null || batch.answered.contains(from) || !batch.incarnation.equals(extended.incarnation())) {
            return;
        }
        batches.dropEnded(batch, now);
        batch.answered.add(from);
        if (batch.batchId != Extend.UNNUMBERED) {
            batch.knownBy.add(from);
        }
        for (int position : extended.missing()) {
            ResourceState state = batch.member(position);
            if (state != null && state.tenure != null) {
                state.tenure.needsRepropose = true;
                state.tenure.renewAt(now.moment());
                batches.goAlone(state, now);
            }
        }
        if (batch.answered.isMajority() && batch.timeout != null && now.moment().isBefore(until.moment())) {
            extendAll(batch, until);
        }
        for (int position : extended.wanted()) {
            ResourceState state = batch.member(position);
            if (state != null && state.tenure != null) {
                out.emit(new Effect.Wanted(state.resource, state.tenure.token));
            }
        }
        batches.setTimer(batch);
    }

    /** P3: a majority of distinct acceptors has extended all that are left. */
    private void extendAll(RenewalBatch batch, Reading until) {
        Moment startedAt = until.moment().plusNanos(-batch.leaseNanos);
        batch.timeout = null;
        batch.failures = 0;
        batch.renewAt = Backoff.renewal(startedAt, batch.leaseNanos);
        if (batch.end != null) {
            batch.end.extend(until, batch.renewAt);
        } else if (extendEach(batch, until)) {
            share(batch, until);
        }
        if (batch.end != null) {
            out.emit(new Effect.ExtendedTogether(batch.end.tenures, batch.end.until(), startedAt));
        } else {
            tellEach(batch, startedAt);
        }
        batch.noneEndsBefore = until; // no tenure ends before that, some may end later
    }

    /** Whether all of the batch are renewed and end at the same time now. */
    private static boolean extendEach(RenewalBatch batch, Reading until) {
        boolean same = batch.batchId != Extend.UNNUMBERED;
        for (ResourceState member : batch.members) {
            if (member != null && member.tenure != null) {
                Tenure tenure = member.tenure;
                tenure.extend(until, tenure.counter, batch.renewAt);
                same &= tenure.renewed && tenure.endsAt(until);
            }
        }
        return same;
    }

    /** As long as the batch stays as it is, its tenures are extended by one move. */
    private static void share(RenewalBatch batch, Reading until) {
        List<String> resources = new ArrayList<>(batch.size);
        long[] tokens = new long[batch.size];
        for (ResourceState member : batch.present()) {
            if (member.tenure != null) {
                tokens[resources.size()] = member.tenure.token;
                resources.add(member.resource);
            }
        }
        SharedDeadline end = new SharedDeadline(new TenureList(batch.batchId, resources, tokens), until, batch.renewAt);
        for (ResourceState member : batch.present()) {
            if (member.tenure != null) {
                member.tenure.share(end);
            }
        }
        batch.end = end;
    }

    private void tellEach(RenewalBatch batch, Moment startedAt) {
        out.expect(batch.size);
        for (ResourceState member : batch.members) {
            if (member != null && member.tenure != null) {
                Tenure tenure = member.tenure;
                out.emit(new Effect.Extended(member.resource, tenure.token, tenure.until(), startedAt));
                if (!tenure.renewed) { // once was enough: the wait had taken part of its time
                    tenure.renewOnce = false;
                    batches.leaveUnrenewed(member);
                }
            }
        }
    }

    /** The same attempt may be sent again, with the same deadline (P1). */
    void onUnknownBatch(RenewalBatch batch, NodeId from) {
        batch.knownBy.remove(from);
        if (batch.batchId != Extend.UNNUMBERED && batch.timeout != null && !batch.answered.contains(from)) {
            out.send(from, message(batch, extensions(batch)));
        }
    }
}
