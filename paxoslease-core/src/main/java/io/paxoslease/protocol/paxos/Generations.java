package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import io.paxoslease.protocol.paxos.PendingGenerations.Source;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of the cell, as far as this node knows them (section 9): which modes its acceptor takes (R1), and which one its
 * proposer uses (R3 to R5, R8). Not thread-safe.
 */
final class Generations {

    /** So many questions pass before acceptors move, so that every proposer asks both lists by then. */
    private static final int QUESTIONS_BEFORE_MOVE = 3;

    private final OwnGeneration own;

    /** Of the proposer: its own, or a later one whose list decides alone. */
    private Generation current;

    private final PendingGenerations following = new PendingGenerations();
    /** The highest generation that is known to be sealed; zero: none is, as nothing is remembered over a restart. */
    private int sealed;
    /** The same by a node that is not believed: an acceptor that starts waits all the same, as silence is always safe (R7). */
    private int reportedSealed;
    /** R3: since when the proposer asks both lists of the next generation, as majorities of both have answered; null: it does not. */
    private @Nullable Moment joinedAt;

    private final GenerationPolls questions = new GenerationPolls();
    /** R4: whether the list of a sealed generation decides alone. */
    private final SealAwareness awareness;
    /** R2: of the generation after the acceptor's own, with which it grants as well; null: it has heard of none. */
    private @Nullable Timing timingAfter;
    /** Of the generation that is being sealed; null when none is. */
    private @Nullable Seal seal;

    private Quorum quorum;
    /** The generation that it is of: two contents have the same modes (R6). */
    private Generation asks;

    private Timing timing;
    /** When this mode began. */
    private Moment changedAt;

    Generations(Generation own, Supplier<Incarnation> boots, Reading now) {
        this.changedAt = now.moment();
        this.current = own;
        this.sealed = own.previous() == null ? own.number() : 0;
        this.own = new OwnGeneration(own, boots, sealed);
        this.awareness = new SealAwareness(sealed);
        this.timing = this.own.timing();
        this.quorum = own.quorum(isSealed(own));
        this.asks = own;
        this.seal = isSealed(own) ? null : new Seal(own);
    }

    /** R3, R4. */
    Quorum quorum() {
        return quorum;
    }

    long maxLeaseNanos() {
        return timing.maxLeaseNanos();
    }

    Timing timing() {
        return own.timing();
    }

    /**
     * D_A: for how long the acceptor excludes others. One that has not come to the next generation grants together with it, so it keeps the
     * wider bound on the clocks of both.
     */
    long exclusionNanos(long leaseNanos) {
        long exclusion = timing().exclusionNanos(leaseNanos);
        return timingAfter == null ? exclusion : Math.max(exclusion, timingAfter.exclusionNanos(leaseNanos));
    }

    int sealed() {
        return sealed;
    }

    /** The highest generation that is sealed, as far as a majority of its list is known to know: what the others rely on. */
    int deciding() {
        return Math.min(sealed, awareness.decides());
    }

    /** What decides, then what follows, as far as this node has heard. */
    List<Generation> followed() {
        Generation next = following.next();
        return next == null ? List.of(current) : List.of(current, next);
    }

    @Nullable
    Generation confirmedNext() {
        return following.isConfirmed() ? following.next() : null;
    }

    /** Every member that this node knows of: records of its proposer may be at any of them. */
    List<NodeId> everyone() {
        Generation next = isSealed(current) ? following.next() : null;
        return (next == null ? current : next).everyone();
    }

    /** R7: whether the acceptor must not begin to serve. */
    boolean isOver() {
        return own.isOver() || reportedSealed > own.get().number();
    }

    private boolean isSealed(Generation generation) {
        return generation.number() <= sealed;
    }

    /** The generation that the proposer works with: the next one once majorities of both lists take part, or it is sealed. */
    Generation used() {
        Generation after = following.next();
        return after != null && (joinedAt != null || isSealed(after)) ? after : current;
    }

    /** The change that is under way; null: none is. The next one only once this one is sealed (R5), and the acceptors know. */
    private @Nullable Generation underWay() {
        Generation next = following.next();
        boolean isNext = next != null && !isSealed(next) && awareness.decides(current);
        return !isSealed(current) ? current : isNext ? next : null;
    }

    /** The generation that acceptors are asked about: what is under way, or sealed without being known to a majority; null: none. */
    private @Nullable Generation asking() {
        Generation target = underWay();
        return target == null && awareness.isPending() ? used() : target;
    }

    /** R4: it may be known by now that a majority of the new list knows of the seal. */
    private void decide() {
        Generation target = used();
        if (awareness.update(target, isSealed(target))) {
            questions.askSoon();
        }
        Generation mine = own.get();
        Generation next = following.next();
        Generation after = next != null && mine.isFollowedBy(next) ? next : null;
        after = mine.isFollowedBy(current) ? current : after;
        timingAfter = after == null ? null : after.timing(false);
    }

    /**
     * An acceptor of that generation has refused what was sent in that mode. R4: it may not know that its own is sealed. R3: or it has moved to
     * the next one, before majorities of both have answered this node.
     */
    void refusedBy(NodeId acceptor, int mode, int itsGeneration) {
        Generation target = used();
        if (mode == Quorum.alone(target.number()) && itsGeneration == target.number()) {
            awareness.heard(acceptor, target, 0, target);
            decide();
        }
        askSoon(acceptor);
    }

    /**
     * A node runs that generation, or tells that it comes. Any may say so, as both lists are asked then. That it is sealed is believed of those
     * alone that the list before names, or once one of those runs it, or a store has it.
     *
     * @param itsSealed the highest generation that the node knows to be sealed; negative: it only tells of one that is to come
     */
    void met(NodeId from, Generation generation, int itsSealed) {
        boolean isListed =
                current.everyone().contains(from) || own.get().everyone().contains(from);
        own.met(generation, isListed ? itsSealed : 0);
        Source runs = itsSealed >= generation.number() ? Source.SEALED : Source.RUN;
        follow(generation, isListed && itsSealed >= 0 ? runs : Source.TOLD, from);
        Generation next = following.next();
        boolean isNext = generation.equals(next);
        boolean isKnown = generation.equals(current) || (isNext && (isListed || following.isConfirmed()));
        if (isKnown) {
            seal(Math.min(itsSealed, generation.number())); // of a later one it is not known which
        } else if (itsSealed >= generation.number()) {
            reportedSealed = Math.max(reportedSealed, generation.number());
        }
        if (itsSealed >= 0 && (isListed || (next != null && next.everyone().contains(from)))) {
            awareness.heard(from, generation, itsSealed, used());
        }
        decide();
    }

    /** Messages reach that node from now on: what it was asked before was lost. */
    void reachable(NodeId node) {
        askSoon(node);
    }

    /** What that node runs is not known any more. */
    void unreachable(NodeId node) {
        following.isGone(node);
        awareness.isGone(node);
        decide();
        askSoon(node); // it may have left after a seal
    }

    /** What it and the others answer may be urgent. */
    private void askSoon(NodeId node) {
        Generation target = asking();
        if (target != null && target.everyone().contains(node)) {
            questions.askSoon();
        }
    }

    /** R2: a store says that this generation follows the acceptor's own, so it moves there as soon as it may. */
    void mayMoveTo(Generation generation) {
        if (own.mayMoveTo(generation)) {
            follow(generation, Source.STORED, null);
            decide();
        }
    }

    private void follow(Generation generation, Source from, @Nullable NodeId by) {
        Generation before = following.next();
        following.heard(current, generation, from, by);
        if (before != null && isSealed(current) && !before.equals(following.next())) {
            measureAgain(); // what was heard is of another content (R6)
            joinedAt = null;
        }
    }

    /**
     * R2, R5: whether the acceptor moves on now: its own generation is sealed, and majorities of both lists have taken part for a while, or
     * the next one is sealed.
     */
    boolean isMoveDue(Reading now) {
        Generation to = own.next();
        if (to == null || !(to.equals(following.next()) || to.equals(current))) {
            return false;
        }
        Moment since = joinedAt;
        return isSealed(to)
                || (since != null
                        && since.nanosUntil(now.moment()) >= QUESTIONS_BEFORE_MOVE * questions.intervalNanos(to));
    }

    /** R4: a store says that this generation is sealed; of another than the acceptor's own it need not be known here. */
    void sealStored(Generation generation) {
        if (generation.equals(own.get())) {
            seal(generation.number());
            decide();
        }
    }

    private void seal(int number) {
        sealed = Math.max(sealed, number);
        own.seal(sealed);
    }

    /** R4: what an acceptor has answered to one of the last questions; to an earlier one it says nothing. */
    void heard(NodeId from, Standing standing, Reading now) {
        boolean isMember = everyone().contains(from); // a client has no say
        Generation target = isMember ? underWay() : null;
        GenerationPolls.Question question =
                target == null ? null : questions.answered(standing.nonce(), now, windowNanos(target));
        if (target != null && question != null) {
            answered(from, standing, target, question, now);
        }
        if (isMember || following.hasOther(from)) {
            met(from, standing.generation(), standing.sealed());
        }
        if (standing.isUnasked()) {
            askSoon(from); // it has refused to extend, or a seal is known
        }
    }

    /** By then no acceptor that has answered, and restarted since, serves again: a majority is what it has said to be. */
    private static long windowNanos(Generation target) {
        return Objects.requireNonNull(target.previous()).maxLeaseTime().toNanos(); // it may go back
    }

    private void answered(
            NodeId from, Standing standing, Generation target, GenerationPolls.Question question, Reading now) {
        Seal ageing = seal == null ? new Seal(target) : seal;
        seal = ageing;
        boolean isThere = standing.generation().equals(target) || target.isFollowedBy(standing.generation());
        if (isThere) {
            ageing.heard(from, standing.boot(), question.askedAt(), now);
        } else {
            ageing.isElsewhere(from);
        }
        boolean isBehind = standing.generation().isFollowedBy(target);
        if (isBehind) {
            question.isBehind(from);
        }
        if (isThere || isBehind) {
            question.isReady(from);
        }
        if (question.isAnsweredByNew(target) && ageing.isAged(now)) {
            seal(target.number());
            decide();
        }
        if (joinedAt == null && target.equals(following.next()) && question.isAnsweredByBoth(target)) {
            joinedAt = now.moment();
        }
    }

    boolean isModeOver() {
        Generation target = used();
        int mode = awareness.decides(target) ? Quorum.alone(target.number()) : Quorum.joint(target.number());
        return quorum.mode() != mode || !asks.equals(target);
    }

    /** R8: the next mode is used from now on. Nothing of the one before is under way. */
    void changeMode(Reading now) {
        Generation target = used();
        boolean isAlone = awareness.decides(target);
        if (isAlone && target.equals(following.next())) {
            current = target;
            following.advance();
            joinedAt = null;
            awareness.keepOnly(current.everyone());
        }
        timing = target.timing(isAlone);
        quorum = target.quorum(isAlone);
        asks = target;
        if (isAlone) {
            measureAgain();
            changedAt = now.moment();
        }
        decide();
    }

    boolean isDecided() {
        return awareness.decides(used());
    }

    /** Whether the generation in use is sealed, though both lists may be asked yet. */
    boolean isUsedSealed() {
        return isSealed(used());
    }

    /** What is sealed is shown once the members that leave may stop: until then proposers ask both lists. */
    NodeView.Membership view(boolean silences, Reading now) {
        Seal ageing = seal;
        return new NodeView.Membership(
                own.get().number(),
                used(),
                silences ? Math.max(sealed, reportedSealed) : deciding(),
                ageing == null ? List.of() : ageing.missing(),
                ageing == null ? -1 : ageing.remainingNanos(now),
                changedAt.nanosUntil(now.moment()),
                silences);
    }

    OwnGeneration own() {
        return own;
    }

    /** R4: from now on answers to questions of an earlier life, or of one that this one is a copy of, count for nothing. */
    void begin(Incarnation life) {
        questions.begin(life);
    }

    /** No time that was measured before can be trusted. */
    void measureAgain() {
        seal = null;
        questions.clear();
    }

    /** When the acceptors of the old list are to be asked where they stand; null: there is no reason to. */
    @Nullable
    Moment asksAt() {
        Generation target = asking();
        if (target == null) {
            return null;
        }
        Moment next = questions.nextAt(target);
        return next == null ? changedAt : next;
    }

    /** A new question, to be sent to {@link #asked()}. */
    PaxosMessage.AskStanding ask(Reading now) {
        Generation target = Objects.requireNonNull(asking());
        Generation after = following.next();
        if (after != null && questions.isAnsweredByOneOnly(current, after, now)) {
            joinedAt = null; // the change has been undone, or those that it brings are gone: the old list decides alone
            decide();
        }
        return new PaxosMessage.AskStanding(questions.ask(now, windowNanos(target)));
    }

    List<NodeId> asked() {
        return following.withOthers(Objects.requireNonNull(asking()).everyone());
    }
}
