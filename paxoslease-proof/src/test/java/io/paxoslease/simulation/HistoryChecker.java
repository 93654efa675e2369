package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history from outside: it knows names and numbers only, and nothing of the classes that made it. Every time is in
 * real nanoseconds, which no node can see. Three promises of every algorithm; what an algorithm remembers is judged by those
 * who extend this:
 *
 * <ol>
 *   <li>at no instant two tenures of one resource are believed in;
 *   <li>tokens grow from tenure to tenure;
 *   <li>who must be silent answers nothing and changes nothing.
 * </ol>
 */
abstract class HistoryChecker {

    private static final long FOR_EVER = Long.MAX_VALUE;

    private final int acceptors;
    /** Who decides; null: that is not known, as when nothing but a guard keeps two lists apart. */
    private int @Nullable [] deciding;

    private boolean changes;
    private boolean resting;
    private final boolean tokensGrow;
    private final List<List<Belief>> beliefs = new ArrayList<>();
    private final long[] silentUntil;
    private final long[] highestToken;
    private final int[] lastHolder;
    private final long[] lastTenure;
    private int grants;
    private int handOvers;

    /** A broken promise; the message says which. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1L;
        /** A node takes what is thrown inside of it for a fault of its own, or for a message that was not sent. */
        private static final ThreadLocal<Violation> first = new ThreadLocal<>();

        Violation(String message) {
            super(message);
            if (first.get() == null) {
                first.set(this);
            }
        }

        /** Nothing has gone wrong yet. */
        static void forget() {
            first.remove();
        }

        /** Throws the first one of this thread since then, wherever it got caught. */
        static void rethrow() {
            Violation violation = first.get();
            if (violation != null) {
                throw violation;
            }
        }
    }

    /**
     * A node relies on a lease from now on until that time, if nothing happens to it before.
     *
     * @param tenure tells tenures apart
     * @param incarnation in whose name it is held
     */
    record Belief(long tenure, int node, int resource, long token, long incarnation, long until) {}

    /** @param tokensGrow whether the wall clocks are good enough for the second promise */
    HistoryChecker(int acceptors, int nodes, int resources, boolean tokensGrow) {
        this.acceptors = acceptors;
        this.deciding = IntStream.range(0, acceptors).toArray();
        this.tokensGrow = tokensGrow;
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

    /**
     * The members change: from now on a majority of these acceptors keeps others out, and has to do so already for what is believed in.
     * While two lists decide together, that is the list before: what it has granted alone counts until the seal.
     *
     * @param list null: that is not judged
     */
    void decides(long now, int @Nullable [] list) {
        changes = true;
        deciding = list;
        for (int resource = 0; resource < beliefs.size(); resource++) {
            checkContained(now, resource);
        }
    }

    boolean isAnythingBelieved(long now) {
        return beliefs.stream().flatMap(List::stream).anyMatch(belief -> belief.until() > now);
    }

    /** Nothing is promised any more of who believes what. */
    void rest() {
        resting = true;
    }

    /** Whether what that acceptor remembers keeps others from the resource for as long as it is believed in. */
    abstract boolean excludesOthers(int acceptor, Belief belief);

    /** The acceptor remembers nothing any more. */
    abstract void forget(int acceptor);

    /** The tenure is believed in; said at its beginning, and whenever its end moves. */
    void believes(long now, Belief belief) {
        if (resting) {
            return;
        }
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

    /** What is believed in, or was until a moment ago. */
    final List<Belief> beliefs(int resource) {
        return beliefs.get(resource);
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
        for (int resource = 0; resource < beliefs.size(); resource++) {
            checkContained(now, resource);
        }
    }

    /** The acceptor has said something that only an acceptor says. */
    void answered(long now, int acceptor) {
        checkNotSilent(now, acceptor, "answered");
    }

    final void checkNotSilent(long now, int acceptor, String what) {
        if (now < silentUntil[acceptor]) {
            throw new Violation(
                    "acceptor " + acceptor + " " + what + " at " + now + ", silent until " + silentUntil[acceptor]);
        }
    }

    /** A majority excludes others for as long as a tenure is believed in; said again whenever anything of it changes. */
    final void checkContained(long now, int resource) {
        int[] list = deciding;
        if (list == null || resting) {
            return;
        }
        List<Belief> believed = beliefs.get(resource);
        for (int b = 0; b < believed.size(); b++) {
            Belief belief = believed.get(b);
            int containing = 0;
            for (int acceptor : list) {
                if (silentUntil[acceptor] >= belief.until() || excludesOthers(acceptor, belief)) {
                    containing++;
                }
            }
            if (belief.until() > now && (acceptors > 1 || changes) && containing <= list.length / 2) {
                throw new Violation("at " + now + " only " + containing + " acceptors exclude others from " + belief);
            }
        }
    }

    final boolean isResting() {
        return resting;
    }

    final int acceptors() {
        return acceptors;
    }

    final int nodes() {
        return silentUntil.length;
    }

    int grants() {
        return grants;
    }

    int handOvers() {
        return handOvers;
    }
}
