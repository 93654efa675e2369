package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of leases that are held on (P4): many in one message, and a batch that was sent before by its id. A lease that
 * an acceptor has no record of leaves its batch, and is proposed again by itself, which makes the record anew.
 */
final class RenewalBatches {

    private static final int MOST = 512;
    private static final int MOST_BYTES = 24 * 1_024;
    /** Leases that are due within a part of the lease time go together. */
    private static final int GATHER_PARTS = 24;

    private static final int ABSORB_PARTS = 6;
    /** So many batches that are due at about the same time are renewed at the same time: to wake up costs more than a round does. */
    private static final int ROUNDS_AT_ONCE = 4;

    /** What goes together. */
    private record Kind(Incarnation incarnation, long leaseNanos) {

        static Kind of(RenewalBatch batch) {
            return new Kind(batch.incarnation, batch.leaseNanos);
        }
    }

    private final ProposerContext context;
    private final Backoff backoff;
    private final Timers timers;
    private final BiConsumer<Claim, Reading> settler;
    private final Map<Kind, RenewalBatch> gathering = new HashMap<>();
    private final Set<RenewalBatch> all = new LinkedHashSet<>();
    private final RenewalRounds rounds;

    /**
     * @param settler is told of a resource that is renewed by itself from now on, or whose tenure has ended
     * @param attemptIds the number of the next attempt
     */
    RenewalBatches(
            ProposerContext context, Timers timers, BiConsumer<Claim, Reading> settler, LongSupplier attemptIds) {
        this.context = context;
        this.backoff = context.backoff();
        this.timers = timers;
        this.settler = settler;
        this.rounds = new RenewalRounds(context, this, attemptIds);
    }

    RenewalRounds rounds() {
        return rounds;
    }

    /** The lease is due, and goes with the next batch. */
    void join(Claim claim, Tenure tenure, Reading now) {
        long leaseNanos = Math.min(tenure.leaseNanos, context.generations().maxLeaseNanos());
        Kind kind = new Kind(claim.incarnation, leaseNanos);
        RenewalBatch batch = gathering.get(kind);
        if (batch == null || isFull(batch)) {
            Moment soon = now.moment().plusNanos(tenure.leaseNanos / GATHER_PARTS);
            batch = new RenewalBatch(claim.incarnation, leaseNanos, context.quorum(), soon);
            gathering.put(kind, batch);
            all.add(batch);
        }
        batch.add(claim);
        boolean late = now.moment().nanosUntil(tenure.until().moment()) < tenure.leaseNanos / 2;
        if (isFull(batch) || tenure.renewOnce || late) {
            batch.renewAt = now.moment();
        }
        setTimer(batch);
    }

    private static boolean isFull(RenewalBatch batch) {
        return batch.size() >= MOST || batch.bytes() >= MOST_BYTES;
    }

    /** From now on it is renewed by itself, or not at all. */
    void leave(Claim claim) {
        RenewalBatch batch = claim.batch();
        if (batch != null) {
            batch.remove(claim);
            discardIfEmpty(batch);
        }
    }

    void discardIfEmpty(RenewalBatch batch) {
        if (batch.size() == 0) {
            discard(batch);
        }
    }

    /** The same, and it is looked at what it needs now. */
    void goAlone(Claim claim, Reading now) {
        leave(claim);
        settleAlone(claim, now);
    }

    /** It is in no batch any more: it is looked at what it needs now. */
    void settleAlone(Claim claim, Reading now) {
        settler.accept(claim, now);
    }

    /** Those that were renewed once, because a wait had taken part of their time, wait for their end only from now on. */
    void leaveUnrenewed(RenewalBatch batch) {
        for (Claim member : batch.present()) {
            if (!member.held().renewed) {
                member.held().renewOnce = false;
                leave(member);
                timers.set(member, member.earliest());
            }
        }
    }

    /** More acceptors answer than before: what had no majority is asked for again soon. */
    void retrySoon(Reading now) {
        for (RenewalBatch batch : all) {
            if (batch.timeout == null && batch.failures > 0) {
                batch.renewAt = Moment.earlier(batch.renewAt, now.moment().plusNanos(backoff.afterReachable()));
                setTimer(batch);
            } else if (batch.timeout != null && batch.isAsSent()) {
                rounds.ask(batch); // the same attempt, with the same deadline (P1)
            }
        }
    }

    private void discard(RenewalBatch batch) {
        all.remove(batch);
        gathering.remove(Kind.of(batch), batch);
        rounds.forget(batch);
        timers.set(batch, null);
    }

    /** The batch is due. Others that are due soon are renewed with it, and stay in step with it. */
    void wake(RenewalBatch batch, Reading now) {
        boolean renewed = renewIfDue(batch, now);
        for (int rounds = 1; renewed && rounds < ROUNDS_AT_ONCE; rounds++) {
            RenewalBatch other = dueSoon(now);
            if (other == null) {
                return;
            }
            other.renewAt = now.moment();
            renewed = renewIfDue(other, now);
        }
    }

    /** Whether a round has begun. */
    private boolean renewIfDue(RenewalBatch batch, Reading now) {
        dropEnded(batch, now);
        boolean due = batch.timeout == null && !now.moment().isBefore(batch.renewAt) && batch.size() > 0;
        if (batch.timeout != null && !now.moment().isBefore(batch.timeout)) {
            batch.timeout = null;
            batch.renewAt = now.moment().plusNanos(backoff.afterSilence(batch.failures++, batch.leaseNanos));
        } else if (due) {
            absorb(batch, now);
            gathering.remove(Kind.of(batch), batch); // no lease joins a round that is under way
            rounds.begin(batch, now);
        }
        setTimer(batch);
        return due;
    }

    /** One that would be renewed soon anyway; not one that others may still join. */
    @Nullable
    private RenewalBatch dueSoon(Reading now) {
        for (RenewalBatch batch : all) {
            boolean soon = now.moment().nanosUntil(batch.renewAt) < batch.leaseNanos / GATHER_PARTS;
            if (soon && batch.timeout == null && batch.failures == 0 && gathering.get(Kind.of(batch)) != batch) {
                return batch;
            }
        }
        return null;
    }

    /** Deadlines are stored data, and checked before anything else. */
    void dropEnded(RenewalBatch batch, Reading now) {
        Reading safe = batch.noneEndsBefore;
        if (safe != null && now.moment().isBefore(safe.moment()) && !now.mayHaveReachedByWallClock(safe)) {
            return;
        }
        for (Claim member : batch.present()) {
            Tenure tenure = member.tenure();
            if (tenure == null || tenure.isOver(now) || tenure.isOverByWallClock(now)) {
                goAlone(member, now);
            }
        }
        findEarliestEnd(batch);
    }

    /** Looks at every member. */
    private static void findEarliestEnd(RenewalBatch batch) {
        batch.noneEndsBefore = batch.present().stream()
                .map(member -> member.held().until())
                .reduce(Reading::earlierOfBoth)
                .orElse(null);
    }

    /** Small batches that are due soon go with this one from now on. */
    private void absorb(RenewalBatch batch, Reading now) {
        if (batch.size() >= MOST / 2 || all.size() == 1) {
            return;
        }
        Moment soon = now.moment().plusNanos(batch.leaseNanos / ABSORB_PARTS);
        List<RenewalBatch> absorbed = new ArrayList<>();
        for (RenewalBatch other : all) {
            if (other != batch
                    && Kind.of(other).equals(Kind.of(batch))
                    && other.timeout == null
                    && !soon.isBefore(other.renewAt)
                    && batch.size() + other.size() <= MOST
                    && batch.bytes() + other.bytes() <= MOST_BYTES) {
                absorbed.add(other);
                other.present().forEach(batch::add);
                if (batch.size() >= MOST / 2) {
                    break;
                }
            }
        }
        absorbed.forEach(this::discard);
    }

    void setTimer(RenewalBatch batch) {
        if (!all.contains(batch)) {
            return;
        }
        Moment at = batch.timeout == null ? batch.renewAt : batch.timeout;
        if (batch.noneEndsBefore == null) {
            findEarliestEnd(batch);
        }
        if (batch.noneEndsBefore != null) {
            at = Moment.earlier(at, batch.noneEndsBefore.moment());
        }
        timers.set(batch, at);
    }
}
