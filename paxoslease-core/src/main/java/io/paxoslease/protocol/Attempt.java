package io.paxoslease.protocol;

import java.util.ArrayList;
import java.util.List;

/** One try of a proposer to begin, renew or confirm a tenure (P1): at most one is in flight per resource. */
final class Attempt {

    enum Kind {
        /** Begin a tenure: prepare, then propose. */
        ACQUIRE,
        /** Renew the tenure: propose with the same incarnation and a higher counter. */
        RENEW,
        /** Confirm a suspect tenure: extend, which cannot recreate a record that another's tenure has followed. */
        CONFIRM
    }

    enum Phase {
        PREPARING,
        PROPOSING,
        EXTENDING
    }

    final long id;
    final Kind kind;
    final Ballot ballot;
    final long leaseNanos;
    /** When the tenure that this attempt leads to ends: T from a reading taken before anything was sent (P1). */
    final Reading until;

    final Votes yes;
    final Votes no;
    /** How long each acceptor that refused will exclude others yet, by acceptor; zero where it does not. */
    final long[] heldForNanos;

    /** Holders' wishes that this attempt fulfils. */
    final List<Claim.Renewal> renewals = new ArrayList<>(0);

    Phase phase;
    Moment timeout;
    /** The highest counter that refusing acceptors would accept now; zero when none refused for that reason. */
    long counterLimit;
    /** Whether a refusing acceptor had promised a higher ballot. */
    boolean contended;

    Attempt(long id, Kind kind, Ballot ballot, long leaseNanos, Quorum quorum, Reading now, long roundNanos) {
        this.id = id;
        this.kind = kind;
        this.ballot = ballot;
        this.leaseNanos = leaseNanos;
        this.until = now.plusNanos(leaseNanos);
        this.yes = new Votes(quorum);
        this.no = new Votes(quorum);
        this.heldForNanos = new long[quorum.size()];
        this.phase = kind == Kind.ACQUIRE ? Phase.PREPARING : kind == Kind.RENEW ? Phase.PROPOSING : Phase.EXTENDING;
        this.timeout = now.moment().plusNanos(roundNanos);
    }

    /** The prepare round is complete; the deadline stays. */
    void startProposing(Reading now, long roundNanos) {
        Invariants.check(phase == Phase.PREPARING, "only a prepared attempt proposes", ballot);
        phase = Phase.PROPOSING;
        yes.clear();
        no.clear();
        timeout = now.moment().plusNanos(roundNanos);
    }

    boolean isEcho(Message.Reply reply) {
        return reply.attempt() == id && reply.ballot().equals(ballot);
    }

    /** P2, P3: a quorum counts only if it is complete before the deadline. */
    boolean hasQuorumBeforeDeadline(Reading now) {
        return yes.isMajority() && now.moment().isBefore(until.moment());
    }

    /** Whether another's live lease was among the reasons for the refusals. */
    boolean isHeldElsewhere() {
        for (long nanos : heldForNanos) {
            if (nanos > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether acceptors may hold a record of this attempt. */
    boolean mayHaveRecords() {
        return phase == Phase.PROPOSING;
    }
}
