package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The generation that the acceptor of this node is of (section 9): which modes it takes (R1), and which generation it may move to while it runs
 * (R2). Not thread-safe.
 */
final class OwnGeneration {

    private static final PaxosMessage.AskStanding UNASKED = new PaxosMessage.AskStanding(Standing.UNASKED);

    /** What the process was started with, or has moved to since. */
    private Generation own;

    private long content;
    private int listHash;
    /** What it may move to: a store says that it follows, so that no restart goes back (R7). */
    private @Nullable Generation stored;

    private final Supplier<Incarnation> boots;
    /** Names what the acceptor remembers since it began to (R4). */
    private @Nullable Incarnation boot;
    /** A member of this very content knows that the next one is sealed, whichever that is: then this one is over. */
    private boolean over;

    private boolean wasOver;
    private boolean hasMoved;

    private int sealed;
    /** The highest generation that the other members have been told to be sealed. */
    private int toldSealed;

    private Timing timing;

    /** @param sealed the highest generation that is known to be sealed */
    OwnGeneration(Generation own, Supplier<Incarnation> boots, int sealed) {
        this.own = own;
        this.content = own.content();
        this.listHash = own.listHash();
        this.boots = boots;
        this.sealed = sealed;
        this.toldSealed = sealed;
        this.timing = own.timing(isSealed());
    }

    Generation get() {
        return own;
    }

    /** Of both lists until it is known to be sealed. */
    Timing timing() {
        return timing;
    }

    /** Whether it is known to be sealed. */
    boolean isSealed() {
        return own.number() <= sealed;
    }

    /** Whether the acceptor was started before the seal, or moved to this one, and knows of the seal. */
    boolean hasBeenSealed() {
        return own.previous() != null && isSealed();
    }

    /** R7. */
    boolean isOver() {
        return over || sealed > own.number();
    }

    /** Whether a mode that it took is over since this was asked last. */
    boolean hasLostMode() {
        boolean isLost = hasMoved || (isOver() && !wasOver);
        hasMoved = false;
        wasOver = isOver();
        return isLost;
    }

    /**
     * R1: whether the acceptor takes requests of that mode: of its own generation with the one before; and once it knows that its own is
     * sealed (R4, R5), of its own alone, and of the next one with its own list. Once the next one is sealed, only of that. Of its own number it
     * takes no other content (R6): who asks may follow another one.
     */
    boolean takes(int mode, long itsContent) {
        boolean follows = (int) (itsContent >>> Integer.SIZE) == listHash;
        boolean isNext = mode == Quorum.joint(own.number() + 1) && isSealed() && follows;
        boolean isAlone = mode == Quorum.alone(own.number()) && isSealed();
        boolean isJoint = mode == Quorum.joint(own.number()) && own.previous() != null;
        return isNext || (!isOver() && itsContent == content && (isAlone || isJoint));
    }

    /** That generation is known to be sealed. */
    void seal(int number) {
        boolean wasSealed = isSealed();
        sealed = number;
        if (isSealed() != wasSealed) {
            timing = own.timing(isSealed());
        }
    }

    /** A member runs that generation, and knows that one to be sealed. */
    void met(Generation generation, int itsSealed) {
        over |= generation.equals(own) && itsSealed > own.number();
    }

    /** Whether a store says rightly that this one follows. */
    boolean mayMoveTo(Generation generation) {
        boolean follows = own.isFollowedBy(generation);
        stored = follows ? generation : stored;
        return follows;
    }

    /** What it may move to now, if the cell has come so far: its own has to be sealed (R5). Null: nothing. */
    @Nullable
    Generation next() {
        return isSealed() ? stored : null;
    }

    /** R2: from now on it is of the next generation, and remembers what it remembered. */
    void move() {
        own = Objects.requireNonNull(stored);
        content = own.content();
        listHash = own.listHash();
        stored = null;
        over = false;
        hasMoved = true;
        timing = own.timing(isSealed());
    }

    /** Names what the acceptor remembers since it began to. */
    Incarnation boot() {
        Incarnation known = boot;
        if (known == null) {
            known = boots.get();
            boot = known;
        }
        return known;
    }

    /** The acceptor of this node says where it stands. */
    Standing standing(PaxosMessage.AskStanding question) {
        return new Standing(question.nonce(), boot(), own, sealed);
    }

    /** Whether the other members are to be told of a seal: they refuse what the new list decides alone until they know of it (R4). */
    boolean hasSealToTell() {
        return sealed > toldSealed;
    }

    /** Tells them. */
    Standing tellOfSeal() {
        toldSealed = sealed;
        return unasked();
    }

    /** An answer to no question. */
    Standing unasked() {
        return standing(UNASKED);
    }

    /** The acceptor has lost its memory. */
    void forgetBoot() {
        boot = null;
    }
}
