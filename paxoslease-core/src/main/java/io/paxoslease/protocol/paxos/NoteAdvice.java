package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.Attempt.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When a change of a note is proposed, and which note a proposal has (X1, X4). A note carries no authority: what is decided here costs at most
 * a message.
 */
final class NoteAdvice {

    /** A tenure's note is changed at most once in that time. */
    static final long BETWEEN_CHANGES = 1_000_000_000;

    /** For how long at most a change waits because others wait for the lease: their proposals are stale after it. */
    static final long LONGEST_WAIT = 5_000_000_000L;

    /** The note of one tenure. */
    static final class TenureNote {

        /** What the holder wants it to be. */
        private String wanted;
        /** What a majority has recorded; null while that is not known: a proposal is under way or has failed, and may have left anything. */
        private @Nullable String recorded;
        /** When the last proposal that changed the note began. */
        private Moment proposedAt;
        /** When the change is due; null: there is none. */
        private @Nullable Moment dueAt;
        /** When it is proposed though others wait. */
        private @Nullable Moment latest;
        /** Until when it is taken that others wait, as an acceptor has said. */
        private @Nullable Moment othersUntil;

        private TenureNote(String recorded, Moment proposedAt) {
            this.wanted = recorded;
            this.recorded = recorded;
            this.proposedAt = proposedAt;
        }

        private void change(String text, Moment now) {
            wanted = text;
            if (wanted.equals(recorded)) {
                dueAt = null;
            } else if (dueAt == null) {
                dueAt = Moment.later(now, proposedAt.plusNanos(BETWEEN_CHANGES));
                latest = dueAt.plusNanos(LONGEST_WAIT);
            }
        }

        /** A renewal that repeats what is recorded is no change. */
        private void proposed(Moment now) {
            proposedAt = wanted.equals(recorded) ? proposedAt : now;
            recorded = null;
        }

        private void recorded(String text, Moment now) {
            recorded = text;
            dueAt = null;
            change(wanted, now);
        }

        /** An acceptor has said that others wait. */
        private void heardWanted(Moment until) {
            othersUntil = until;
        }
    }

    private final LocalAcceptor here;

    NoteAdvice(LocalAcceptor here) {
        this.here = here;
    }

    /** X1: a renewal by a proposal begins. Answers the note that all its proposals tell. */
    static String begun(Claim claim, Reading now) {
        if (claim.note() != null) {
            claim.note().proposed(now.moment());
        }
        return wanted(claim);
    }

    /** What the holder wants the note to be; empty: none. */
    static String wanted(Claim claim) {
        return claim.note() == null ? Note.NONE : claim.note().wanted;
    }

    /** A tenure has begun. The request that it is for may be another than the one that the attempt was begun for. */
    static void begin(Claim claim, Attempt attempt, AcquireRequest request, Reading now) {
        change(claim, attempt.hints.note(), attempt.startedAt(), request.note(), now);
    }

    /** The holder changes the note. */
    static void change(Claim claim, String text, Reading now) {
        change(claim, Note.NONE, now.moment().plusNanos(-BETWEEN_CHANGES), text, now);
    }

    private static void change(Claim claim, String recorded, Moment proposedAt, String wanted, Reading now) {
        if (claim.note() == null && !(recorded.isEmpty() && wanted.isEmpty())) {
            claim.note(new TenureNote(recorded, proposedAt));
        }
        if (claim.note() != null) {
            claim.note().change(wanted, now.moment());
        }
    }

    /** A majority has recorded what the attempt proposed. */
    static void extended(Claim claim, Attempt attempt, Reading now) {
        if (claim.note() != null && attempt.kind == Kind.RENEW) {
            claim.note().recorded(attempt.hints.note(), now.moment());
        }
    }

    /** An acceptor has said that others wait for the lease: it says so at each renewal. */
    static void heardWanted(Claim claim, Reading now) {
        if (claim.note() != null) {
            claim.note().heardWanted(now.moment().plusNanos(claim.held().leaseNanos / 2));
        }
    }

    /** X4: whether a change is proposed now. If others wait for the lease, it is put off. */
    boolean proposesNow(Claim claim, Reading now) {
        TenureNote note = claim.note();
        if (note == null || note.dueAt == null || now.moment().isBefore(note.dueAt)) {
            return false;
        }
        Moment latest = Objects.requireNonNull(note.latest);
        if (isWanted(claim, note, now) && now.moment().isBefore(latest)) {
            note.dueAt = Moment.earlier(latest, now.moment().plusNanos(BETWEEN_CHANGES));
            return false;
        }
        return true;
    }

    private boolean isWanted(Claim claim, TenureNote note, Reading now) {
        boolean heard = note.othersUntil != null && now.moment().isBefore(note.othersUntil);
        return heard || claim.waiters() != null || here.isWanted(claim.resource, now);
    }

    /** For how long the lease is asked for with a change: a fixed time does not grow by it. */
    static long leaseNanos(Tenure tenure, Reading now) {
        return tenure.renewed
                ? tenure.leaseNanos
                : Math.max(1, now.moment().nanosUntil(tenure.until().moment()));
    }

    /** When to look at the claim because of its note; null: not for that. While an attempt or a wait is under way, its end comes first. */
    static @Nullable Moment dueAt(Claim claim) {
        ClaimState state = claim.state();
        Tenure tenure = claim.tenure();
        boolean mayBegin = tenure != null && !tenure.suspect && state.attempt() == null && state.retryAt() == null;
        return mayBegin && claim.note() != null ? claim.note().dueAt : null;
    }
}
