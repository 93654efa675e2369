package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;

/**
 * A request to all acceptors, and which of them have agreed. Its deadline is fixed when it is created, before anything is sent (P1).
 * A new deadline needs a new round with a new id: answers to an earlier round do not count (P5).
 */
class Round {

    /** From one sequence for all attempts and batches of this node; every answer repeats it. */
    final long id;

    final long leaseNanos;
    /** When the tenure that this round grants or extends ends: T after a reading taken before anything was sent (P1). */
    final Reading until;
    /** The acceptors that have agreed. */
    final AcceptorSet yes;

    private final Quorum quorum;

    Round(long id, long leaseNanos, Quorum quorum, Reading now) {
        this.id = id;
        this.leaseNanos = leaseNanos;
        this.until = now.plusNanos(leaseNanos);
        this.yes = new AcceptorSet(quorum);
        this.quorum = quorum;
    }

    /** R8: all messages of a round have the mode whose majority is counted. */
    Request inMode(Request request) {
        return InMode.of(quorum, request);
    }

    void agreed(NodeId acceptor) {
        yes.add(acceptor);
    }

    /**
     * P2, P3: a majority of distinct acceptors counts only if it is complete before the deadline. The wall clock is not compared: a
     * tenure that it has passed is not held from its first moment (H1), and is suspect from the next event on.
     */
    boolean hasQuorumBeforeDeadline(Reading now) {
        return yes.isMajority() && now.moment().isBefore(until.moment());
    }

    /** Before anything is granted or extended by this round. */
    void checkQuorum(Reading now) {
        Invariants.check(hasQuorumBeforeDeadline(now), "a majority agrees before the deadline", until);
    }

    Moment startedAt() {
        return until.moment().plusNanos(-leaseNanos);
    }
}
