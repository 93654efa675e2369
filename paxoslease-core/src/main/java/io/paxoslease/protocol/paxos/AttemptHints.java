package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
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

    /** The holder's requests that this attempt fulfils. */
    final List<TrackedResource.Renewal> renewals = new ArrayList<>(0);

    /** Every proposal of the attempt has it (X1). */
    private String note = Note.NONE;
    /** It is for a request that asks once. */
    private boolean asksOnce;
    /** Counter of the predecessor in the queue: acceptors that have not heard of it keep the proposal; zero: none. */
    private long predecessorCounter;
    /** When the first acceptor accepted what was queued. */
    private @Nullable Moment movedAt;
    /** A majority keeps the proposal until the holder releases. */
    private boolean queued;
    /** One acceptor has accepted what was queued, and the others have been asked whether they will. */
    private boolean askedTheOthers;
    /** The holder's node has said that the lease is in use. */
    private boolean inUse;
    /** An acceptor has said that others wait. */
    private boolean wanted;

    private Moment timeout;

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
    void askedMore(Moment newTimeout) {
        no.clear();
        timeout = newTimeout;
    }

    /** Before the first proposal. */
    void note(String text) {
        note = text;
    }

    /** Empty: none. */
    String note() {
        return note;
    }

    /** It is for a request that asks once. */
    void asksOnce(boolean once) {
        asksOnce = once;
    }

    boolean asksOnce() {
        return asksOnce;
    }

    /** Its turn comes after that predecessor, which is about to be heard of (Q4). */
    void follows(long predecessor, Moment newTimeout) {
        predecessorCounter = predecessor;
        timeout = newTimeout;
    }

    /** The predecessor has not come (Q5). */
    void followsNone(Moment newTimeout) {
        predecessorCounter = 0;
        timeout = newTimeout;
    }

    long predecessorCounter() {
        return predecessorCounter;
    }

    /** A majority keeps it (Q1). */
    void queuedUntil(Moment newTimeout) {
        queued = true;
        timeout = newTimeout;
    }

    boolean isQueued() {
        return queued;
    }

    /** An acceptor has accepted what was queued. */
    void moved(Moment now) {
        movedAt = movedAt == null ? now : movedAt;
    }

    @Nullable
    Moment movedAt() {
        return movedAt;
    }

    /** The others are asked whether they accept it, too (Q11). */
    void askedTheOthers(Moment newTimeout) {
        askedTheOthers = true;
        askedMore(newTimeout);
    }

    boolean hasAskedTheOthers() {
        return askedTheOthers;
    }

    /** The holder's node has said that the lease is in use. */
    void heardInUse() {
        inUse = true;
    }

    boolean isInUse() {
        return inUse;
    }

    /** An acceptor has said that others wait. */
    void heardWanted() {
        wanted = true;
    }

    boolean isWanted() {
        return wanted;
    }

    Moment timeout() {
        return timeout;
    }

    void endsBy(Moment end) {
        timeout = Moment.earlier(timeout, end);
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

    boolean isAnyAnswerDue() {
        return quorum.acceptors().stream().anyMatch(this::isAnswerDueFrom);
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
