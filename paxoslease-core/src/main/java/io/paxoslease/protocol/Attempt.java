package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.Refused;
import io.paxoslease.protocol.Message.Stale;
import java.util.ArrayList;
import java.util.Arrays;
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

    private final Quorum quorum;
    final Votes yes;
    final Votes no;
    /** Acceptors that cannot be reached, so that no answer is to be expected of them. */
    final Votes absent;
    /** How long each acceptor that refused will exclude others yet, by acceptor; zero where it does not. */
    final long[] heldForNanos;
    /** Above which counter each acceptor would agree: zero where it has not refused; the maximum where any is too far ahead. */
    private final long[] promised;
    /** Up to which counter each acceptor would look at the ballot now; the maximum where it did. */
    private final long[] limits;

    /** Holders' wishes that this attempt fulfils. */
    final List<Claim.Renewal> renewals = new ArrayList<>(0);

    Phase phase;
    Moment timeout;

    Attempt(long id, Kind kind, Ballot ballot, long leaseNanos, Quorum quorum, Reading now, long roundNanos) {
        this.id = id;
        this.kind = kind;
        this.ballot = ballot;
        this.leaseNanos = leaseNanos;
        this.until = now.plusNanos(leaseNanos);
        this.yes = new Votes(quorum);
        this.no = new Votes(quorum);
        this.absent = new Votes(quorum);
        this.heldForNanos = new long[quorum.size()];
        this.promised = new long[quorum.size()];
        this.limits = new long[quorum.size()];
        Arrays.fill(limits, Long.MAX_VALUE);
        this.quorum = quorum;
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

    Moment startedAt() {
        return until.moment().plusNanos(-leaseNanos);
    }

    void agreed(NodeId from) {
        yes.add(from);
        promised[quorum.indexOf(from)] = 0;
    }

    /** Notes what the refusal says; whatever it says, it is one acceptor's word. */
    void refused(NodeId from, Message.Reply reply) {
        no.add(from);
        int i = quorum.indexOf(from);
        if (reply instanceof Held held) {
            heldForNanos[i] = Math.max(1, held.remainingNanos());
        } else if (reply instanceof Stale stale) {
            promised[i] = stale.promisedCounter();
        } else if (reply instanceof Refused refusal && refusal.reason() == Message.Refusal.TOO_FAR_AHEAD) {
            limits[i] = refusal.limit();
            promised[i] = Long.MAX_VALUE;
        }
    }

    /** The lease that this acceptor spoke of has been released since: no reason to wait for its end. */
    void freed(NodeId from) {
        heldForNanos[quorum.indexOf(from)] = 0;
    }

    /** P2: whether a majority can no longer be reached, and it is known what a majority would look at. */
    boolean isRuledOut() {
        return isRefused() && !awaitsLimits();
    }

    /** Whether those who have not refused, and can still be reached, are no majority. */
    boolean isRefused() {
        return no.rulesOutMajorityWith(absent, yes);
    }

    /**
     * Whether an acceptor found the counter too far ahead, and who has not answered yet may say the same. Without it, an
     * acceptor that asks for more and one that asks for less would fail every attempt, and nothing would be learnt.
     */
    private boolean awaitsLimits() {
        boolean tooFarAhead = Arrays.stream(limits).anyMatch(limit -> limit != Long.MAX_VALUE);
        return tooFarAhead && limitOfMajority() == Long.MAX_VALUE && !yes.isEverybodyWith(no, absent);
    }

    /** Above which counter a majority would agree, as far as they said; the maximum when a majority takes no higher one. */
    long promisedByMajority() {
        return lowestForMajority(promised.clone());
    }

    /** The same, not counting on who could have answered and did not. */
    long promisedByThoseHeard(Reading now) {
        long[] heard = promised.clone();
        boolean timedOut = !now.moment().isBefore(timeout);
        for (NodeId acceptor : quorum.acceptors()) {
            boolean silent = !yes.contains(acceptor) && !no.contains(acceptor);
            if (silent && (timedOut || absent.contains(acceptor))) {
                heard[quorum.indexOf(acceptor)] = Long.MAX_VALUE;
            }
        }
        return lowestForMajority(heard);
    }

    private long lowestForMajority(long[] counters) {
        Arrays.sort(counters);
        return counters[quorum.majority() - 1];
    }

    /** Up to which counter a majority would look at a ballot now; the maximum when this one was not too far ahead. */
    long limitOfMajority() {
        long[] sorted = limits.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length - quorum.majority()];
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
