package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What a proposer is doing about one resource. Each state has its own fields only. {@link Claim} makes all of them, and has all
 * transitions between them.
 */
abstract sealed class ClaimState {

    /** What is held; null in a state without a tenure. */
    @Nullable
    Tenure tenure() {
        return null;
    }

    /** What is in flight; null in a state without an attempt. */
    @Nullable
    Attempt attempt() {
        return null;
    }

    /** When the attempt that failed is tried again; null: none has failed. */
    @Nullable
    Moment retryAt() {
        return null;
    }

    /** The answers that are awaited to what was abandoned behind a holder; null: none are. */
    @Nullable
    LateAnswers lateAnswers() {
        return null;
    }

    /** Whether an attempt may begin now, if one is wanted. */
    boolean mayBegin(Moment now) {
        Moment retryAt = retryAt();
        return attempt() == null && (retryAt == null || !now.isBefore(retryAt));
    }

    /** Whether there is a tenure without an attempt or a batch. Only then can the next attempt be given a time. */
    boolean mayWait() {
        return false;
    }

    /** Whether nothing is lost when the state is forgotten. */
    boolean isIdle() {
        return false;
    }

    /** When it has something to do by itself; null: never. */
    @Nullable
    abstract Moment earliest();

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }

    /** Answers to an attempt that has been abandoned behind a holder (P5). */
    record LateAnswers(Attempt attempt, Moment until) {}

    /** Nothing is under way. */
    static final class Idle extends ClaimState {

        private final @Nullable LateAnswers lateAnswers;

        Idle(@Nullable LateAnswers lateAnswers) {
            this.lateAnswers = lateAnswers;
        }

        @Override
        @Nullable
        LateAnswers lateAnswers() {
            return lateAnswers;
        }

        @Override
        boolean isIdle() {
            return lateAnswers == null;
        }

        @Override
        @Nullable
        Moment earliest() {
            return lateAnswers == null ? null : lateAnswers.until();
        }
    }

    /** An attempt to acquire has failed, and the next one waits (P8). */
    static final class BackingOff extends ClaimState {

        final Moment retryAt;
        /** A majority of acceptors has said when to ask again, because others come first (Q9). */
        final boolean isDeferred;

        private final @Nullable LateAnswers lateAnswers;

        BackingOff(Moment retryAt, boolean isDeferred, @Nullable LateAnswers lateAnswers) {
            this.retryAt = retryAt;
            this.isDeferred = isDeferred;
            this.lateAnswers = lateAnswers;
        }

        @Override
        Moment retryAt() {
            return retryAt;
        }

        @Override
        @Nullable
        LateAnswers lateAnswers() {
            return lateAnswers;
        }

        @Override
        boolean isIdle() {
            return lateAnswers == null;
        }

        @Override
        @Nullable
        Moment earliest() {
            return Moment.earliest(retryAt, lateAnswers == null ? null : lateAnswers.until());
        }
    }

    /** A tenure has ended here, and its lease is released (P6). */
    static final class Released extends ClaimState {

        /** Others waited for it with counters up to this: the next attempt comes after them (Q4). */
        final long predecessorCounter;
        /** Others come first until then, because they are told of the release by a hint (W4). */
        private final @Nullable Moment yieldUntil;
        /** It is remembered until then whom the next request comes after. */
        private final @Nullable Moment followUntil;

        Released(long predecessorCounter, @Nullable Moment yieldUntil, @Nullable Moment followUntil) {
            this.predecessorCounter = predecessorCounter;
            this.yieldUntil = yieldUntil;
            this.followUntil = followUntil;
        }

        /** Without the times that have come. */
        Released at(Moment now) {
            return new Released(predecessorCounter, still(yieldUntil, now), still(followUntil, now));
        }

        boolean isOver(Moment now) {
            return still(yieldUntil, now) == null && still(followUntil, now) == null;
        }

        private static @Nullable Moment still(@Nullable Moment until, Moment now) {
            return until == null || now.isBefore(until) ? until : null;
        }

        @Override
        boolean mayBegin(Moment now) {
            return yieldUntil == null || !now.isBefore(yieldUntil);
        }

        @Override
        boolean isIdle() {
            return yieldUntil == null && followUntil == null;
        }

        @Override
        @Nullable
        Moment earliest() {
            return Moment.earliest(yieldUntil, followUntil);
        }
    }

    /** A state in which acceptors may say that others want the resource (W1). */
    abstract static sealed class Sought extends ClaimState {

        /** What they have said; null: nothing. */
        @Nullable
        ReportedWaiters waiters;

        Sought(@Nullable ReportedWaiters waiters) {
            this.waiters = waiters;
        }
    }

    /** An attempt to acquire is in flight: it prepares, proposes, or is queued behind a holder. */
    static final class Asking extends Sought {

        private final Attempt attempt;

        Asking(Attempt attempt, @Nullable ReportedWaiters waiters) {
            super(waiters);
            this.attempt = attempt;
        }

        @Override
        Attempt attempt() {
            return attempt;
        }

        @Override
        Moment earliest() {
            return attempt.hints.timeout();
        }
    }

    /** There is a tenure. */
    abstract static sealed class Tenured extends Sought {

        final Tenure tenure;

        Tenured(Tenure tenure, @Nullable ReportedWaiters waiters) {
            super(waiters);
            this.tenure = tenure;
        }

        @Override
        Tenure tenure() {
            return tenure;
        }

        /** The end of the tenure, or that moment if it is earlier. */
        Moment untilOr(@Nullable Moment other) {
            Moment end = tenure.until().moment();
            return other == null ? end : Moment.earlier(other, end);
        }
    }

    /** Nothing is under way for the tenure. */
    static final class Holding extends Tenured {

        private final @Nullable Moment retryAt;

        Holding(Tenure tenure, @Nullable ReportedWaiters waiters) {
            super(tenure, waiters);
            this.retryAt = null;
        }

        Holding(Tenured before, @Nullable Moment retryAt) {
            super(before.tenure, before.waiters);
            this.retryAt = retryAt;
        }

        @Override
        boolean mayWait() {
            return true;
        }

        @Override
        @Nullable
        Moment retryAt() {
            return retryAt;
        }

        @Override
        Moment earliest() {
            return untilOr(retryAt == null && tenure.isRenewed() ? tenure.renewAt() : retryAt);
        }
    }

    /** The tenure is renewed with others: the batch has the times. */
    static final class Batched extends Tenured {

        final RenewalBatch batch;
        final int place;

        Batched(Tenured before, RenewalBatch batch, int place) {
            super(before.tenure, before.waiters);
            this.batch = batch;
            this.place = place;
        }

        @Override
        @Nullable
        Moment earliest() {
            return null;
        }
    }

    /** A renewal of its own is in flight. */
    static final class Renewing extends Tenured {

        private final Attempt attempt;

        Renewing(Tenured before, Attempt attempt) {
            super(before.tenure, before.waiters);
            this.attempt = attempt;
        }

        @Override
        Attempt attempt() {
            return attempt;
        }

        @Override
        Moment earliest() {
            return untilOr(attempt.hints.timeout());
        }
    }

    /** The clocks are in doubt, so the tenure is not held until a majority confirms it (H2). */
    static final class Suspect extends Tenured {

        private final @Nullable Moment retryAt;

        Suspect(Tenured before, @Nullable Moment retryAt) {
            super(before.tenure, before.waiters);
            this.retryAt = retryAt;
        }

        @Override
        boolean mayWait() {
            return true;
        }

        @Override
        @Nullable
        Moment retryAt() {
            return retryAt;
        }

        @Override
        Moment earliest() {
            return untilOr(retryAt);
        }
    }

    /** A suspect tenure, and an attempt to confirm it is in flight. */
    static final class Confirming extends Tenured {

        private final Attempt attempt;

        Confirming(Tenured before, Attempt attempt) {
            super(before.tenure, before.waiters);
            this.attempt = attempt;
        }

        @Override
        Attempt attempt() {
            return attempt;
        }

        @Override
        Moment earliest() {
            return untilOr(attempt.hints.timeout());
        }
    }
}
