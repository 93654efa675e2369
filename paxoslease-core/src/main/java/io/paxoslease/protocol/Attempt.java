package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Held;
import io.paxoslease.protocol.Message.Refused;
import io.paxoslease.protocol.Message.Stale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One try of a proposer to begin, renew or confirm a tenure (P1): at most one is in flight per resource. */
final class Attempt {

    enum Kind {
        /** Begin a tenure: propose; under contention prepare first. */
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

    /** Those that keep this proposal, and would accept it if the lease in its way were released. */
    private final Votes queued;
    /** Whose live lease is in the way, by acceptor. */
    private @Nullable Incarnation @Nullable [] holders;
    /** The highest promise of an acceptor that spoke of a live lease. */
    private long promisedBehindLease;

    /** Whoever it is for does not wait. */
    boolean asksOnce;
    /** The counter of whoever is known to come before it, while those who have not heard of that one shall keep it; zero: nobody. */
    long after;
    /** When the first acceptor accepted what waited in line. */
    @Nullable
    Moment movedAt;
    /** A majority keeps the proposal until the holder releases. */
    boolean inLine;
    /** The holder's node has said that the lease is in use. */
    boolean inUse;
    /** An acceptor has said that others wait. */
    boolean wanted;

    /** Holders' wishes that this attempt fulfils. */
    final List<Claim.Renewal> renewals = new ArrayList<>(0);

    Phase phase;
    Moment timeout;

    /** @param prepares whether it begins with a round that only asks, as it does under contention */
    Attempt(
            long id,
            Kind kind,
            boolean prepares,
            Ballot ballot,
            long leaseNanos,
            Quorum quorum,
            Reading now,
            long roundNanos) {
        this.id = id;
        this.kind = kind;
        this.ballot = ballot;
        this.leaseNanos = leaseNanos;
        this.until = now.plusNanos(leaseNanos);
        this.yes = new Votes(quorum);
        this.no = new Votes(quorum);
        this.absent = new Votes(quorum);
        this.queued = new Votes(quorum);
        this.heldForNanos = new long[quorum.size()];
        this.promised = new long[quorum.size()];
        this.limits = new long[quorum.size()];
        Arrays.fill(limits, Long.MAX_VALUE);
        this.quorum = quorum;
        this.phase = kind == Kind.CONFIRM ? Phase.EXTENDING : prepares ? Phase.PREPARING : Phase.PROPOSING;
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
        no.remove(from);
        noLease(from);
        promised[quorum.indexOf(from)] = 0;
    }

    private void noLease(NodeId from) {
        queued.remove(from);
        heldForNanos[quorum.indexOf(from)] = 0;
        if (holders != null) {
            holders[quorum.indexOf(from)] = null;
        }
    }

    /** Notes what the refusal says; whatever it says, it is one acceptor's word. */
    void refused(NodeId from, Message.Reply reply) {
        no.add(from);
        int i = quorum.indexOf(from);
        noLease(from);
        if (reply instanceof Held refusal) {
            heldForNanos[i] = Math.max(1, refusal.remainingNanos());
            noteHolder(from, refusal);
        } else if (reply instanceof Stale stale) {
            promised[i] = stale.promisedCounter();
        } else if (reply instanceof Refused refusal && refusal.reason() == Message.Refusal.TOO_FAR_AHEAD) {
            limits[i] = refusal.limit();
            promised[i] = Long.MAX_VALUE;
        }
    }

    private void noteHolder(NodeId from, Held refusal) {
        if (holders == null) {
            holders = new @Nullable Incarnation[quorum.size()];
        }
        holders[quorum.indexOf(from)] = refusal.owner().incarnation();
        promisedBehindLease = Math.max(promisedBehindLease, refusal.promisedCounter());
        if (refusal.queued()) {
            queued.add(from);
        }
    }

    /** Whether one holder's lease is live at a majority: then nobody else can have it. */
    boolean isBehindOneHolder() {
        if (holders == null) {
            return false;
        }
        for (Incarnation holder : holders) {
            int count = 0;
            for (Incarnation other : holders) {
                count += holder != null && holder.equals(other) ? 1 : 0;
            }
            if (count >= quorum.majority()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a majority keeps the proposal for the time when what is in its way is released. */
    boolean isQueued() {
        return queued.isMajority();
    }

    /** Whether those who have not answered yet may make that a majority. */
    boolean mayBeQueuedYet() {
        int open = quorum.size() - yes.countWith(no, absent);
        return queued.count() == no.count() && queued.count() + open >= quorum.majority();
    }

    /** What the counter must be above to wait in line, as far as that is in the way; zero when it is not. */
    long neededInLine() {
        return promisedBehindLease >= ballot.counter() ? promisedBehindLease : 0;
    }

    /** Whether that acceptor may have a record of this attempt, or come to have one. */
    boolean mayHaveRecordAt(NodeId acceptor) {
        return mayHaveRecords() && (!no.contains(acceptor) || queued.contains(acceptor));
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
        return isTooFarAheadForAny() && limitOfMajority() == Long.MAX_VALUE && !yes.isEverybodyWith(no, absent);
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

    /** Whether an acceptor found the counter too far ahead of its wall clock. */
    boolean isTooFarAheadForAny() {
        return Arrays.stream(limits).anyMatch(limit -> limit != Long.MAX_VALUE);
    }

    /**
     * How far the wall clocks of those that refused are from this one, as far as they said: exactly where the counter was too far
     * ahead, at least where it was too low.
     */
    List<Effect.ClocksApart.Offset> clockOffsets(long guardMicros, Reading now) {
        List<Effect.ClocksApart.Offset> offsets = new ArrayList<>();
        for (NodeId acceptor : quorum.acceptors()) {
            int i = quorum.indexOf(acceptor);
            boolean tooFarAhead = limits[i] != Long.MAX_VALUE;
            if (tooFarAhead || promised[i] > 0) {
                long shows = (tooFarAhead ? limits[i] : promised[i]) - guardMicros;
                offsets.add(new Effect.ClocksApart.Offset(acceptor, shows - now.wallMicros()));
            }
        }
        return offsets;
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
