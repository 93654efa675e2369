package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TrackedResource;
import java.util.ArrayList;
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

    final AcceptorSet yes;
    final AcceptorSet no;
    /** Acceptors that cannot be reached, so that no answer is to be expected of them. */
    final AcceptorSet absent;
    /** What the acceptors that refused have said: hints. */
    final Refusals refusals;

    /** It is for a request that asks once. */
    boolean asksOnce;
    /** Counter of the predecessor in the queue: acceptors that have not heard of it keep the proposal; zero: none. */
    long predecessorCounter;
    /** When the first acceptor accepted what was queued. */
    @Nullable
    Moment movedAt;
    /** A majority keeps the proposal until the holder releases. */
    boolean queued;
    /** The holder's node has said that the lease is in use. */
    boolean inUse;
    /** An acceptor has said that others wait. */
    boolean wanted;

    /** The holder's requests that this attempt fulfils. */
    final List<TrackedResource.Renewal> renewals = new ArrayList<>(0);

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
        this.yes = new AcceptorSet(quorum);
        this.no = new AcceptorSet(quorum);
        this.absent = new AcceptorSet(quorum);
        this.refusals = new Refusals(quorum, yes, no, absent);
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

    boolean isEcho(PaxosMessage.Reply reply) {
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
        refusals.withdraw(from);
    }

    void refused(NodeId from, PaxosMessage.Reply reply) {
        no.add(from);
        refusals.note(from, reply);
    }

    /** Whether that acceptor may have a record of this attempt, or come to have one. */
    boolean mayHaveRecordAt(NodeId acceptor) {
        return mayHaveRecords() && (!no.contains(acceptor) || refusals.isQueuedAt(acceptor));
    }

    /** P2: whether a majority can no longer be reached, and it is known what a majority would look at. */
    boolean isRuledOut() {
        return isRefused() && !refusals.awaitsLimits();
    }

    /** Whether those who have not refused, and can still be reached, are no majority. */
    boolean isRefused() {
        return no.rulesOutMajorityWith(absent, yes);
    }

    /** Whether acceptors may hold a record of this attempt. */
    boolean mayHaveRecords() {
        return phase == Phase.PROPOSING;
    }
}
