package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history from outside: it knows names and numbers only, and nothing of the classes that made it. Every time is in
 * real nanoseconds, which no node can see. Five promises:
 *
 * <ol>
 *   <li>at no instant two tenures of one resource are believed in;
 *   <li>tokens grow from tenure to tenure;
 *   <li>a live record is never replaced, never set back, and goes only with a release of its incarnation that reaches its
 *       counter, and not while a tenure rests on it;
 *   <li>while a tenure is believed in, a majority of acceptors each have a record of it that lasts as long, or are silent
 *       as long;
 *   <li>who must be silent answers nothing and changes nothing.
 * </ol>
 */
final class HistoryChecker {

    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final Deed NONE = new Deed(-1, 0, Long.MIN_VALUE);

    private final int acceptors;
    private final boolean tokensGrow;
    private final List<List<Belief>> beliefs = new ArrayList<>();
    private final Deed[][] records;
    private final long[] silentUntil;
    private final long[] highestToken;
    private final int[] lastHolder;
    private final long[] lastTenure;
    private int grants;
    private int handOvers;

    /** A broken promise; the message says which. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1L;

        Violation(String message) {
            super(message);
        }
    }

    /**
     * A node relies on a lease from now on until that time, if nothing happens to it before.
     *
     * @param tenure tells tenures apart
     * @param incarnation in whose name it is held
     */
    record Belief(long tenure, int node, int resource, long token, long incarnation, long until) {}

    /** An acceptor's record. */
    record Deed(long incarnation, long counter, long until) {}

    /** A release that an acceptor has heard. */
    record Releasing(long incarnation, long upToCounter) {}

    /** @param tokensGrow whether the wall clocks are good enough for the second promise */
    HistoryChecker(int acceptors, int nodes, int resources, boolean tokensGrow) {
        this.acceptors = acceptors;
        this.tokensGrow = tokensGrow;
        this.records = new Deed[resources][nodes];
        for (Deed[] ofResource : records) {
            Arrays.fill(ofResource, NONE);
        }
        this.silentUntil = new long[nodes];
        this.highestToken = new long[resources];
        this.lastHolder = new int[resources];
        this.lastTenure = new long[resources];
        Arrays.fill(highestToken, Long.MIN_VALUE);
        Arrays.fill(lastTenure, -1);
        for (int i = 0; i < resources; i++) {
            beliefs.add(new ArrayList<>(2));
            lastHolder[i] = -1;
        }
    }

    /** The tenure is believed in; said at its beginning, and whenever its end moves. */
    void believes(long now, Belief belief) {
        List<Belief> others = beliefs.get(belief.resource());
        boolean known = false;
        for (int i = others.size() - 1; i >= 0; i--) {
            Belief other = others.get(i);
            if (other.tenure() == belief.tenure()) {
                others.remove(i);
                known = true;
            } else if (other.until() <= now) {
                others.remove(i);
            } else {
                throw new Violation("both " + other + " and " + belief + " believe at " + now);
            }
        }
        others.add(belief);
        if (!known && lastTenure[belief.resource()] != belief.tenure()) {
            checkToken(belief);
        }
        checkContained(now, belief.resource());
    }

    private void checkToken(Belief belief) {
        int resource = belief.resource();
        if (tokensGrow && belief.token() <= highestToken[resource]) {
            throw new Violation("the token did not grow from " + highestToken[resource] + " to that of " + belief);
        }
        grants++;
        if (lastHolder[resource] >= 0 && lastHolder[resource] != belief.node()) {
            handOvers++;
        }
        lastHolder[resource] = belief.node();
        lastTenure[resource] = belief.tenure();
        highestToken[resource] = Math.max(belief.token(), highestToken[resource]);
    }

    /** The tenure is not believed in any more, or not at present. */
    void stopsBelieving(long tenure, int resource) {
        beliefs.get(resource).removeIf(belief -> belief.tenure() == tenure);
    }

    /** The acceptor's record is this from now on. */
    void recorded(long now, int acceptor, int resource, Deed deed) {
        checkNotSilent(now, acceptor, "recorded " + deed);
        Deed before = live(now, acceptor, resource);
        if (before != null && before.incarnation() != deed.incarnation()) {
            throw new Violation("acceptor " + acceptor + " replaced its live " + before + " by " + deed);
        }
        if (before != null && (deed.counter() < before.counter() || deed.until() < before.until())) {
            throw new Violation("acceptor " + acceptor + " set its live " + before + " back to " + deed);
        }
        records[resource][acceptor] = deed;
        checkContained(now, resource);
    }

    /** The acceptor has no live record any more, though its time is not over; these releases it has just heard. */
    void dropped(long now, int acceptor, int resource, List<Releasing> heard) {
        checkNotSilent(now, acceptor, "dropped a record");
        Deed before = live(now, acceptor, resource);
        records[resource][acceptor] = NONE;
        if (before == null) {
            return;
        }
        boolean released = false;
        for (Releasing release : heard) {
            released |= release.incarnation() == before.incarnation() && release.upToCounter() >= before.counter();
        }
        if (!released) {
            throw new Violation("acceptor " + acceptor + " dropped its live " + before + " after " + heard);
        }
        for (Belief belief : beliefs.get(resource)) {
            if (belief.until() > now
                    && belief.incarnation() == before.incarnation()
                    && belief.token() <= before.counter()) {
                throw new Violation("acceptor " + acceptor + " dropped " + before + ", on which rests " + belief);
            }
        }
        checkContained(now, resource);
    }

    /** The acceptor's clock was changed: the same record lasts until then. */
    void reclocked(int acceptor, int resource, long until) {
        Deed deed = records[resource][acceptor];
        if (!deed.equals(NONE)) {
            records[resource][acceptor] = new Deed(deed.incarnation(), deed.counter(), until);
        }
    }

    /** The acceptor's clock was changed: it must be silent until then. */
    void silenceReclocked(int acceptor, long until) {
        silentUntil[acceptor] = until;
    }

    /** The acceptor is gone. */
    void crashed(int acceptor) {
        silentUntil[acceptor] = FOR_EVER;
        forget(acceptor);
    }

    /** The acceptor has no memory, or must behave as if it had none: until then it must be silent. */
    void mustBeSilent(long now, int acceptor, long until) {
        silentUntil[acceptor] = until;
        forget(acceptor);
        for (int resource = 0; resource < records.length; resource++) {
            checkContained(now, resource);
        }
    }

    /** The acceptor has said something that only an acceptor says. */
    void answered(long now, int acceptor) {
        checkNotSilent(now, acceptor, "answered");
    }

    private void checkNotSilent(long now, int acceptor, String what) {
        if (now < silentUntil[acceptor]) {
            throw new Violation(
                    "acceptor " + acceptor + " " + what + " at " + now + ", silent until " + silentUntil[acceptor]);
        }
    }

    private void forget(int acceptor) {
        for (Deed[] ofResource : records) {
            ofResource[acceptor] = NONE;
        }
    }

    /** The fourth promise; said of each belief as it stands now, and again whenever anything of it changes. */
    void checkContained(long now, int resource) {
        List<Belief> believed = beliefs.get(resource);
        for (int b = 0; b < believed.size(); b++) {
            Belief belief = believed.get(b);
            int containing = 0;
            for (int acceptor = 0; acceptor < acceptors; acceptor++) {
                if (contains(records[resource][acceptor], belief) || silentUntil[acceptor] >= belief.until()) {
                    containing++;
                }
            }
            if (belief.until() > now && acceptors > 1 && containing <= acceptors / 2) {
                throw new Violation("at " + now + " only " + containing + " acceptors exclude others from " + belief);
            }
        }
    }

    private static boolean contains(Deed deed, Belief belief) {
        return deed.incarnation() == belief.incarnation()
                && deed.counter() >= belief.token()
                && deed.until() >= belief.until();
    }

    private @Nullable Deed live(long now, int acceptor, int resource) {
        Deed deed = records[resource][acceptor];
        return deed.until() > now ? deed : null;
    }

    int grants() {
        return grants;
    }

    int handOvers() {
        return handOvers;
    }
}
