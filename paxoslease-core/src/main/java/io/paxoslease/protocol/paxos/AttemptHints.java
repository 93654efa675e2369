package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.TrackedResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How an attempt is getting on. Advice: it decides how long to wait, and how to ask again. */
final class AttemptHints {

    final AcceptorSet no;
    /** Acceptors that cannot be reached, so that no answer is to be expected of them. */
    final AcceptorSet absent;
    /** Acceptors that know nothing of the lease that the others have named: asked for nothing, as they would accept. */
    final AcceptorSet leftOut;
    /** What the acceptors that refused have said. */
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
    /** One acceptor has accepted what was queued, and the others have been asked whether they will. */
    boolean askedTheOthers;
    /** The holder's node has said that the lease is in use. */
    boolean inUse;
    /** An acceptor has said that others wait. */
    boolean wanted;

    /** The holder's requests that this attempt fulfils. */
    final List<TrackedResource.Renewal> renewals = new ArrayList<>(0);

    Moment timeout;

    private final Quorum quorum;
    private final AcceptorSet yes;

    AttemptHints(Quorum quorum, AcceptorSet yes, Moment timeout) {
        this.quorum = quorum;
        this.yes = yes;
        this.no = new AcceptorSet(quorum);
        this.absent = new AcceptorSet(quorum);
        this.leftOut = new AcceptorSet(quorum);
        this.refusals = new Refusals(quorum, yes, no, absent);
        this.timeout = timeout;
    }

    /** No answer is to be expected of those of them that are acceptors here. */
    void areUnreachable(Set<NodeId> nodes) {
        for (NodeId node : nodes) {
            if (quorum.contains(node)) {
                absent.add(node);
            }
        }
    }

    /** The acceptors are asked something else now. */
    void askAnew(Moment newTimeout) {
        no.clear();
        timeout = newTimeout;
    }

    /** No answer is to be expected of those acceptors, as they are not asked. */
    void leaveOut(AcceptorSet acceptors) {
        leftOut.addAll(acceptors);
        absent.addAll(acceptors);
    }

    void askAll() {
        leftOut.clear();
        absent.clear();
    }

    /** Answers whether it had kept what was proposed, so that its queue has moved. */
    boolean agreed(NodeId from) {
        boolean kept = refusals.isQueuedAt(from);
        no.remove(from);
        refusals.withdraw(from);
        return kept;
    }

    void refused(NodeId from, PaxosMessage.Reply reply) {
        no.add(from);
        refusals.note(from, reply);
    }

    /** Whether that acceptor may have a record of what was proposed, or come to have one. */
    boolean mayHaveRecordAt(NodeId acceptor) {
        return !no.contains(acceptor) || refusals.isQueuedAt(acceptor);
    }

    /** Whether that acceptor has been asked, can be reached and has not answered. */
    boolean isAnswerDueFrom(NodeId acceptor) {
        return !yes.contains(acceptor) && !no.contains(acceptor) && !absent.contains(acceptor);
    }

    /** Whether a majority has answered. */
    boolean isAnswered() {
        AcceptorSet answered = new AcceptorSet(quorum);
        answered.addAll(yes);
        answered.addAll(no);
        return answered.isMajority();
    }

    /** P2: whether a majority can no longer be reached, and it is known what a majority would look at. */
    boolean isRuledOut() {
        return isRefused() && !refusals.awaitsLimits();
    }

    /** Whether those who have not refused, and can still be reached, are no majority. */
    boolean isRefused() {
        return no.rulesOutMajorityWith(absent, yes);
    }
}
