package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the acceptors that refused an attempt have said: hints, by which the proposer decides when and how to ask again. */
final class Refusals {

    private final Quorum quorum;
    private final AcceptorSet yes;
    private final AcceptorSet no;
    private final AcceptorSet absent;
    /** How long each acceptor that refused will exclude others yet, by acceptor; zero where it does not. */
    private final long[] heldForNanos;
    /** After what time each acceptor wants to be asked again; zero where it has not said. */
    private final long[] askAgainNanos;
    /** Above which counter each acceptor would agree: zero where it has not refused; the maximum where any is too far ahead. */
    private final long[] promised;
    /** Up to which counter each acceptor would look at the ballot now; the maximum where it did. */
    private final long[] limits;

    /** Those that keep this proposal, and would accept it if the lease in its way were released. */
    private final AcceptorSet queued;
    /** Those that keep no more leases of this client. */
    private final AcceptorSet full;
    /** Whose live lease is in the way, by acceptor. */
    private @Nullable Incarnation @Nullable [] holders;
    /** The highest promise of an acceptor that spoke of a live lease. */
    private long promisedBehindLease;

    Refusals(Quorum quorum, AcceptorSet yes, AcceptorSet no, AcceptorSet absent) {
        this.quorum = quorum;
        this.yes = yes;
        this.no = no;
        this.absent = absent;
        this.queued = new AcceptorSet(quorum);
        this.full = new AcceptorSet(quorum);
        this.heldForNanos = new long[quorum.size()];
        this.askAgainNanos = new long[quorum.size()];
        this.promised = new long[quorum.size()];
        this.limits = new long[quorum.size()];
        Arrays.fill(limits, Long.MAX_VALUE);
    }

    /** The acceptor has agreed since. */
    void withdraw(NodeId from) {
        noLease(from);
        promised[quorum.indexOf(from)] = 0;
    }

    private void noLease(NodeId from) {
        queued.remove(from);
        full.remove(from);
        heldForNanos[quorum.indexOf(from)] = 0;
        askAgainNanos[quorum.indexOf(from)] = 0;
        if (holders != null) {
            holders[quorum.indexOf(from)] = null;
        }
    }

    /** One acceptor's word, whatever it says. */
    void note(NodeId from, PaxosMessage.Reply reply) {
        int i = quorum.indexOf(from);
        noLease(from);
        if (reply instanceof Held refusal) {
            heldForNanos[i] = Math.max(1, refusal.remainingNanos());
            askAgainNanos[i] = refusal.askAgainNanos();
            noteHolder(from, refusal);
        } else if (reply instanceof Stale stale) {
            promised[i] = stale.promisedCounter();
        } else if (reply instanceof Refused refusal && refusal.reason() == PaxosMessage.Refusal.TOO_MANY) {
            full.add(from);
        } else if (reply instanceof Refused refusal && refusal.reason() == PaxosMessage.Refusal.TOO_FAR_AHEAD) {
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

    /** How long until the records at a majority have ended, as far as the refusals said. */
    long heldForNanosAtMajority() {
        long[] held = new long[quorum.size()];
        long longest = 0;
        for (NodeId acceptor : quorum.acceptors()) {
            int i = quorum.indexOf(acceptor);
            held[i] = no.contains(acceptor) ? heldForNanos[i] : yes.contains(acceptor) ? 0 : Long.MAX_VALUE;
            longest = Math.max(longest, no.contains(acceptor) ? heldForNanos[i] : 0);
        }
        return Math.min(longest, lowestForMajority(held));
    }

    /** After what time a majority wants to be asked again; zero when it has not said. One alone cannot delay anything. */
    long askAgainNanos() {
        return lowestForMajority(askAgainNanos);
    }

    /** Whether one holder's lease is live at a majority: then no other proposer can have it. */
    boolean isBehindOneHolder() {
        if (holders == null) {
            return false;
        }
        for (Incarnation holder : holders) {
            if (holder != null && quorum.isMajorityOfOneList(named(holder))) {
                return true;
            }
        }
        return false;
    }

    /** Who has named it, as bits. */
    private long named(Incarnation holder) {
        long named = 0;
        for (int i = 0; holders != null && i < holders.length; i++) {
            named |= holder.equals(holders[i]) ? 1L << i : 0;
        }
        return named;
    }

    /** Whether a majority keeps the proposal for the time when what is in its way is released. */
    boolean isQueued() {
        return queued.isMajority();
    }

    /** Whether a majority keeps no more leases of this client. */
    boolean isTooMany() {
        return full.isMajority();
    }

    /** Whether those who have not answered yet may make that a majority. */
    boolean mayBeQueuedYet() {
        AcceptorSet known = new AcceptorSet(quorum);
        known.addAll(yes);
        known.addAll(no);
        known.addAll(absent);
        return queued.count() == no.count() && !new AcceptorSet(quorum).rulesOutMajorityWith(known, queued);
    }

    /** What the counter must be above to be queued, as far as that is in the way; zero when it is not. */
    long neededToQueue(Ballot ballot) {
        return promisedBehindLease >= ballot.counter() ? promisedBehindLease : 0;
    }

    /** Whether that acceptor keeps the proposal. */
    boolean isQueuedAt(NodeId acceptor) {
        return queued.contains(acceptor);
    }

    /** The lease that this acceptor spoke of has been released since: no reason to wait for its end. */
    void freed(NodeId from) {
        heldForNanos[quorum.indexOf(from)] = 0;
    }

    /**
     * Whether an acceptor found the counter too far ahead, and acceptors that have not answered yet may say the same. Without it, an
     * acceptor that asks for more and one that asks for less would fail every attempt, and nothing would be learnt.
     */
    boolean awaitsLimits() {
        return isTooFarAheadForAny() && limitOfMajority() == Long.MAX_VALUE && !yes.coverAllWith(no, absent);
    }

    /** Above which counter a majority would agree, as far as they said; the maximum when a majority takes no higher one. */
    long promisedByMajority() {
        return lowestForMajority(promised);
    }

    /** The same, not counting on acceptors that could have answered and did not. */
    long promisedByThoseHeard(boolean timedOut) {
        long[] heard = promised.clone();
        for (NodeId acceptor : quorum.acceptors()) {
            boolean silent = !yes.contains(acceptor) && !no.contains(acceptor);
            if (silent && (timedOut || absent.contains(acceptor))) {
                heard[quorum.indexOf(acceptor)] = Long.MAX_VALUE;
            }
        }
        return lowestForMajority(heard);
    }

    /** The least value that is not below those of a majority, given one of each acceptor. */
    private long lowestForMajority(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        for (long value : sorted) {
            long chosen = 0;
            for (int i = 0; i < values.length; i++) {
                chosen |= values[i] <= value ? 1L << i : 0;
            }
            if (quorum.isMajority(chosen)) {
                return value;
            }
        }
        throw new AssertionError("all together are a majority");
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
        return -lowestForMajority(Arrays.stream(limits).map(limit -> -limit).toArray());
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
}
