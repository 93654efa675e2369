package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Request;
import java.util.List;

/**
 * One try of a proposer to begin, renew or confirm a tenure (P1): at most one is in flight per resource. All that is sent for it
 * has its ballot and its lease time.
 */
final class Attempt extends Round {

    enum Kind {
        /** Begin a tenure: propose; under contention prepare first. */
        ACQUIRE,
        /** Renew the tenure: propose with the same incarnation and a higher counter. */
        RENEW,
        /**
         * Confirm a suspect tenure: extend, which cannot recreate a record that another's tenure has followed. Its ballot is the
         * tenure's own: no counter is drawn.
         */
        CONFIRM
    }

    enum Phase {
        PREPARING,
        PROPOSING,
        EXTENDING
    }

    final Kind kind;
    final Ballot ballot;
    /** Advice: how the attempt is getting on, and how long to wait for it. */
    final AttemptHints hints;

    private final String resource;
    private Phase phase;

    /** @param prepares whether it begins with a round that only asks, as it does under contention */
    Attempt(
            long id,
            Kind kind,
            boolean prepares,
            String resource,
            Ballot ballot,
            long leaseNanos,
            Quorum quorum,
            Reading now,
            Moment timeout) {
        super(id, leaseNanos, quorum, now);
        this.kind = kind;
        this.resource = resource;
        this.ballot = ballot;
        this.phase = kind == Kind.CONFIRM ? Phase.EXTENDING : prepares ? Phase.PREPARING : Phase.PROPOSING;
        this.hints = new AttemptHints(quorum, yes, timeout);
    }

    Phase phase() {
        return phase;
    }

    Request prepare() {
        return inMode(new Prepare(resource, ballot, id));
    }

    Request propose(QueueMode mode, long enqueued, long predecessor) {
        Invariants.check(phase == Phase.PROPOSING, "only what is prepared, or need not be, is proposed", ballot);
        return inMode(new Propose(resource, ballot, leaseNanos, id, mode, enqueued, predecessor, hints.note()));
    }

    Request confirm() {
        List<Extension> extensions = List.of(new Extension(resource, ballot.counter()));
        return inMode(new Extend(ballot.incarnation(), id, leaseNanos, Extend.UNNUMBERED, extensions));
    }

    /** P2: a majority has promised; the deadline stays. */
    void startProposing() {
        Invariants.check(phase == Phase.PREPARING, "only a prepared attempt proposes", ballot);
        phase = Phase.PROPOSING;
        yes.clear();
    }

    /** P5: only an answer to this very attempt counts. */
    boolean isEcho(Reply reply) {
        return reply.attempt() == id && reply.ballot().equals(ballot);
    }

    /** P2, P3: whether the acceptor agrees to what this phase asks; if so it is counted. */
    boolean takes(NodeId from, Reply reply) {
        boolean asked = (reply instanceof Open && phase == Phase.PREPARING)
                || (reply instanceof Accepted && phase == Phase.PROPOSING);
        boolean agrees = asked && isEcho(reply);
        if (agrees) {
            agreed(from);
        }
        return agrees;
    }

    /** Whether the acceptor answers this attempt to confirm; if it has extended the record, it is counted. */
    boolean takes(NodeId from, Extended extended) {
        boolean answers = phase == Phase.EXTENDING
                && id == extended.attempt()
                && ballot.incarnation().equals(extended.incarnation());
        if (answers && extended.missing().isEmpty()) {
            agreed(from);
        }
        return answers;
    }

    /** Whether acceptors may hold a record of this attempt. */
    boolean mayHaveRecords() {
        return phase == Phase.PROPOSING;
    }
}
