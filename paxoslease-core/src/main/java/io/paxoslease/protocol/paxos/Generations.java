package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of the cell, as far as this node knows them (section 9): which modes its acceptor takes (R1), and which one its
 * proposer uses (R3 to R5, R8). Not thread-safe.
 */
final class Generations {

    private static final long ASK_NANOS = 1_000_000_000L;
    /** So often within the time that a seal takes. */
    private static final int ASK_PARTS = 4;

    /** Of the acceptor: what the process was started with. */
    private final Generation own;

    private final Supplier<Incarnation> boots;
    /** Names what the acceptor remembers since it began to (R4). */
    private @Nullable Incarnation boot;

    /** Of the proposer: its own, or a later one that is sealed. */
    private Generation current;
    /** The change that is under way (R3). The first content that was heard of counts (R6). */
    private @Nullable Generation next;
    /** The highest generation that is known to be sealed; zero: none is, as nothing is remembered over a restart. */
    private int sealed;
    /** R3: whether the proposer asks both lists of the next generation, as majorities of both have answered. */
    private boolean joined;
    /** Who has answered the last question: of the next generation or this one, and of this one. */
    private final Set<NodeId> ready = new HashSet<>();

    private final Set<NodeId> behind = new HashSet<>();
    /** A member of this very content knows that the next one is sealed, whichever that is: then this acceptor's is over. */
    private boolean over;

    /** Of the generation that is being sealed; null when none is. */
    private @Nullable Seal seal;

    private Quorum quorum;
    private Timing timing;
    private Timing ownTiming;
    private long nonce;
    /** When this mode began. */
    private Moment changedAt;

    private @Nullable Moment askedAt;

    Generations(Generation own, Supplier<Incarnation> boots, Moment now) {
        this.own = own;
        this.boots = boots;
        this.changedAt = now;
        this.current = own;
        this.sealed = own.previous() == null ? own.number() : 0;
        this.ownTiming = own.timing(isSealed(own));
        this.timing = ownTiming;
        this.quorum = own.quorum(isSealed(own));
        this.seal = isSealed(own) ? null : new Seal(own);
    }

    /** R3, R4: who decides on what the proposer asks now. */
    Quorum quorum() {
        return quorum;
    }

    /** The longest lease that the proposer may ask for now. */
    long maxLeaseNanos() {
        return timing.maxLeaseNanos();
    }

    /** The time rules of the acceptor: of both lists until it knows of the seal. */
    Timing timing() {
        return ownTiming;
    }

    /** The highest generation that is known to be sealed. */
    int sealed() {
        return sealed;
    }

    /** Every member that this node knows of: records of its proposer may be at any of them. */
    List<NodeId> everyone() {
        return (next == null || !isSealed(current) ? current : next).everyone();
    }

    /** Whether the generation that the acceptor was started with is over: then it must not begin to serve (R7). */
    boolean isOver() {
        return over || sealed > own.number();
    }

    /**
     * R1: whether the acceptor takes requests of that mode: of its own generation with the one before; and once it knows that its own is
     * sealed (R4, R5), of its own alone, and of the next one with its own. Once the next one is sealed, only of that.
     */
    boolean takes(int mode) {
        boolean isNext = mode == Quorum.joint(own.number() + 1) && isSealed(own);
        boolean isAlone = mode == Quorum.alone(own.number()) && isSealed(own);
        boolean isJoint = mode == Quorum.joint(own.number()) && own.previous() != null;
        return isNext || (!isOver() && (isAlone || isJoint));
    }

    /** Whether the acceptor was started before the seal of its generation, and knows of it. */
    boolean hasBeenSealed() {
        return own.previous() != null && isSealed(own);
    }

    private boolean isSealed(Generation generation) {
        return generation.number() <= sealed;
    }

    /** The generation that the proposer works with: the next one once majorities of both lists take part, or it is sealed. */
    private Generation changing() {
        Generation after = next;
        return after != null && (joined || isSealed(after)) ? after : current;
    }

    /** The change that acceptors are asked about; null: none is under way. The next one only once this one is sealed (R5). */
    private @Nullable Generation asking() {
        return !isSealed(current) ? current : next == null || isSealed(next) ? null : next;
    }

    /**
     * A member runs that generation.
     *
     * @param itsSealed the highest generation that it knows to be sealed
     */
    void met(Generation generation, int itsSealed) {
        over |= generation.equals(own) && itsSealed > own.number();
        if (next == null && current.isFollowedBy(generation)) {
            next = generation;
        }
        boolean isKnown = generation.equals(current) || generation.equals(next);
        if (isKnown && itsSealed <= generation.number()) {
            seal(itsSealed);
        }
    }

    private void seal(int number) {
        if (number > sealed) {
            sealed = number;
            ownTiming = own.timing(isSealed(own));
        }
    }

    /** R4: what an acceptor has answered to the last question; to an earlier one it says nothing. */
    void heard(NodeId from, Standing standing, Moment now) {
        Generation target = asking();
        Moment asked = askedAt;
        if (everyone().contains(from)) { // a client has no say
            if (target != null && asked != null && standing.nonce() == nonce) {
                answered(from, standing, target, asked, now);
            }
            met(standing.generation(), standing.sealed());
        }
    }

    private void answered(NodeId from, Standing standing, Generation target, Moment asked, Moment now) {
        Seal ageing = seal == null ? new Seal(target) : seal;
        seal = ageing;
        boolean isThere = standing.generation().equals(target) || target.isFollowedBy(standing.generation());
        if (isThere) {
            ageing.heard(from, standing.boot(), asked, now);
        } else {
            ageing.isElsewhere(from);
        }
        if (ageing.isAged()) {
            seal(target.number());
        }
        boolean isBehind = standing.generation().isFollowedBy(target);
        if (isBehind) {
            behind.add(from);
        }
        if (isThere || isBehind) {
            ready.add(from);
        }
        joined |= target.equals(next) && isMajority(target.quorum(false), ready);
    }

    private static boolean isMajority(Quorum quorum, Set<NodeId> nodes) {
        AcceptorSet set = new AcceptorSet(quorum);
        nodes.stream().filter(quorum::contains).forEach(set::add);
        return set.isMajority();
    }

    /** Whether another mode is to be used from now on. */
    boolean isModeOver() {
        Generation target = changing();
        return quorum.mode() != (isSealed(target) ? Quorum.alone(target.number()) : Quorum.joint(target.number()));
    }

    /** R8: the next mode is used from now on. Nothing of the one before is under way. */
    void changeMode(Moment now) {
        Generation target = changing();
        boolean isSealed = isSealed(target);
        if (isSealed && target.equals(next)) {
            current = target;
            next = null;
            joined = false;
        }
        timing = target.timing(isSealed);
        quorum = target.quorum(isSealed);
        if (isSealed) {
            seal = null;
            askedAt = null;
            changedAt = now;
        }
    }

    /** The generation that the proposer works with now; for people. */
    Generation used() {
        return changing();
    }

    /** Whether the list of that generation decides alone; for people. */
    boolean isDecided() {
        return isSealed(changing());
    }

    /** @param silences whether the acceptor is silent for that */
    NodeView.Membership view(boolean silences, Moment now) {
        Seal ageing = seal;
        Moment agedAt = ageing == null ? null : ageing.agedAt();
        return new NodeView.Membership(
                own.number(),
                changing(),
                sealed,
                ageing == null ? List.of() : ageing.missing(),
                agedAt == null ? -1 : Math.max(0, now.nanosUntil(agedAt)),
                changedAt.nanosUntil(now),
                silences);
    }

    /** What the acceptor was started with. */
    int number() {
        return own.number();
    }

    /** The acceptor of this node says where it stands. */
    Standing standing(PaxosMessage.AskStanding question) {
        if (boot == null) {
            boot = boots.get();
        }
        return new Standing(question.nonce(), boot, own, sealed);
    }

    /** The acceptor has lost its memory. */
    void forgetBoot() {
        boot = null;
    }

    /** No time that was measured before can be trusted, so a seal begins to age now. */
    void measureAgain() {
        seal = null;
        askedAt = null;
    }

    /** When the acceptors of the old list are to be asked where they stand; null: there is no reason to. */
    @Nullable
    Moment asksAt() {
        Generation target = asking();
        if (target == null) {
            return null;
        }
        long parts = target.timing(false).quarantineNanos() / ASK_PARTS;
        return askedAt == null ? changedAt : askedAt.plusNanos(Math.min(ASK_NANOS, parts));
    }

    /** A new question, to be sent to {@link #asked()}. */
    PaxosMessage.AskStanding ask(Moment now) {
        Generation after = next;
        boolean isJoint = after == null || isMajority(after.quorum(false), ready);
        if (!isJoint && isMajority(current.quorum(true), behind)) {
            joined = false; // the change has been undone, or those that it brings are gone: the old list decides alone
        }
        ready.clear();
        behind.clear();
        askedAt = now;
        return new PaxosMessage.AskStanding(++nonce);
    }

    /** The members of both lists of the change that is under way. */
    List<NodeId> asked() {
        return Objects.requireNonNull(asking()).everyone();
    }
}
