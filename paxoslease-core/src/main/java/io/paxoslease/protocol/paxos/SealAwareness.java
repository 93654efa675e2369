package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * From when on a proposer asks the list of a sealed generation alone (section 9, R4): once a majority of that list is known to know of the seal,
 * because only acceptors that know of it grant that. Advice: until then both lists decide, so a wrong entry costs time, never exclusion. Not
 * thread-safe.
 */
final class SealAwareness {

    /** Of each acceptor that is known to know of a seal: the highest generation that is sealed, as it runs that one or a later one. */
    private final Map<NodeId, Integer> known = new HashMap<>();
    /** The highest generation whose list decides alone. */
    private int decides;
    /** The generation in use is sealed, and no majority of its list is known to know. */
    private boolean pending;

    SealAwareness(int decides) {
        this.decides = decides;
    }

    /** Whether the list of that generation decides alone. */
    boolean decides(Generation generation) {
        return generation.number() <= decides;
    }

    int decides() {
        return decides;
    }

    /** Whether acceptors are to be asked whether they know of the seal. */
    boolean isPending() {
        return pending;
    }

    /**
     * An acceptor has said which generation it runs, and which is the highest one that it knows to be sealed. The list of the one in use decides
     * alone until one of its acceptors does not know of the seal, and too few of the others are known to: as after a restart.
     *
     * @param used the generation that the proposer asks for leases in
     */
    void heard(NodeId acceptor, Generation runs, int sealed, Generation used) {
        int highest = sealed >= runs.number() ? runs.number() : runs.number() - 1; // R5: the one before is sealed
        if (highest > used.number() || (highest == used.number() && used.previous() != null)) {
            known.put(acceptor, highest);
            return;
        }
        known.remove(acceptor);
        boolean isUnaware = runs.equals(used) && used.current().members().contains(acceptor);
        if (isUnaware && decides == used.number() && !isKnownToMajority(used)) {
            decides--;
        }
    }

    /** That acceptor may come back without its memory. */
    void isGone(NodeId acceptor) {
        known.remove(acceptor);
    }

    void keepOnly(Collection<NodeId> acceptors) {
        known.keySet().retainAll(acceptors);
    }

    /**
     * Something new is known: of which generation the proposer asks for leases, whether that is sealed, or who knows of that.
     *
     * @return whether acceptors are to be asked from now on whether they know
     */
    boolean update(Generation used, boolean sealed) {
        boolean isKnown = sealed && isKnownToMajority(used);
        decides = isKnown ? Math.max(decides, used.number()) : decides;
        boolean wasPending = pending;
        pending = sealed && !isKnown;
        return pending && !wasPending;
    }

    private boolean isKnownToMajority(Generation used) {
        if (used.previous() == null) {
            return true;
        }
        Quorum list = used.quorum(true);
        AcceptorSet knowing = new AcceptorSet(list);
        for (NodeId acceptor : list.acceptors()) {
            if (known.getOrDefault(acceptor, 0) >= used.number()) {
                knowing.add(acceptor);
            }
        }
        return knowing.isMajority();
    }
}
