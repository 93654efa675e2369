package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of the cell, as far as this node knows them (section 9): which modes its acceptor takes (R1), and which one its
 * proposer uses (R3 to R5, R8). Not thread-safe.
 */
final class Generations {

    private static final long ASK_NANOS = 1_000_000_000L;
    /** So often within the time that a seal takes. */
    private static final int ASK_PARTS = 8;

    /** Of the acceptor: what the process was started with. */
    private final Generation own;

    private final Supplier<Incarnation> boots;
    /** Names what the acceptor remembers since it began to (R4). */
    private @Nullable Incarnation boot;

    /** Of the proposer: its own, or a later one that is sealed. */
    private Generation current;
    /** The change that is under way (R3). The first content that was heard of counts (R6). */
    private @Nullable Generation next;
    /** The highest generation that is known to be sealed. */
    private int sealed;
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
        this.sealed = own.previous() == null ? own.number() : own.number() - 1;
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

    /** Every member that this node knows of: records of its proposer may be at any of them. */
    List<NodeId> everyone() {
        return changing().everyone();
    }

    /** Whether the generation that the acceptor was started with is over: then it must not begin to serve (R7). */
    boolean isOver() {
        return sealed > own.number();
    }

    /**
     * R1: whether the acceptor takes requests of that mode: of its own generation, alone or with the one before, and of the next one with
     * its own; but of the next one only once its own is sealed (R5).
     */
    boolean takes(int mode) {
        return mode == Quorum.alone(own.number())
                || (mode == Quorum.joint(own.number()) && own.previous() != null)
                || (mode == Quorum.joint(own.number() + 1) && isSealed(own));
    }

    private boolean isSealed(Generation generation) {
        return generation.number() <= sealed;
    }

    /** The generation that the proposer works with: the next one as soon as it is known, and this one is sealed (R5). */
    private Generation changing() {
        Generation after = next;
        return after != null && isSealed(current) ? after : current;
    }

    /**
     * A member runs that generation.
     *
     * @param itsSealed the highest generation that it knows to be sealed
     */
    void met(Generation generation, int itsSealed) {
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
        Generation target = changing();
        Moment asked = askedAt;
        Seal ageing = seal;
        if (ageing != null && asked != null && standing.nonce() == nonce) {
            if (standing.generation().equals(target) || target.isFollowedBy(standing.generation())) {
                ageing.heard(from, standing.boot(), asked, now);
            } else {
                ageing.isElsewhere(from);
            }
            if (ageing.isAged()) {
                seal(target.number());
            }
        }
        met(standing.generation(), standing.sealed());
    }

    /** Whether another mode is to be used from now on: what is known only ever leads to a later one. */
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
        }
        timing = target.timing(isSealed);
        quorum = target.quorum(isSealed);
        seal = isSealed ? null : new Seal(target);
        askedAt = null;
        changedAt = now;
    }

    /** What to tell the operator of the mode that has just begun. */
    Effect news() {
        Generation target = changing();
        String text = isSealed(target)
                ? "Generation %d is sealed: its members %s decide alone"
                        .formatted(target.number(), target.current().members())
                : "The cell changes to generation %d: until it is sealed, majorities of both %s and %s decide"
                        .formatted(target.number(), asked(), target.current().members());
        return new Effect.Notice(Effect.Notice.Level.INFO, text);
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

    /** When the acceptors of the old list are to be asked where they stand; null: there is no reason to. */
    @Nullable
    Moment asksAt() {
        Seal ageing = seal;
        if (ageing == null) {
            return null;
        }
        return askedAt == null ? changedAt : askedAt.plusNanos(Math.min(ASK_NANOS, ageing.ageNanos() / ASK_PARTS));
    }

    /** A new question, to be sent to {@link #asked()}. */
    PaxosMessage.AskStanding ask(Moment now) {
        askedAt = now;
        return new PaxosMessage.AskStanding(++nonce);
    }

    /** Whose word counts: the members of the list before the change that is under way. */
    List<NodeId> asked() {
        return Objects.requireNonNull(changing().previous()).members();
    }
}
