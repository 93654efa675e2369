package io.paxoslease.protocol;

/** A set of distinct acceptors: a message that arrives twice counts once (P3, mutant 9). */
final class Votes {

    private final Quorum quorum;
    private long voters;

    Votes(Quorum quorum) {
        this.quorum = quorum;
    }

    void add(NodeId acceptor) {
        voters |= 1L << quorum.indexOf(acceptor);
    }

    void remove(NodeId acceptor) {
        voters &= ~(1L << quorum.indexOf(acceptor));
    }

    void clear() {
        voters = 0;
    }

    boolean contains(NodeId acceptor) {
        return (voters & 1L << quorum.indexOf(acceptor)) != 0;
    }

    int count() {
        return Long.bitCount(voters);
    }

    boolean isMajority() {
        return count() >= quorum.majority();
    }

    /** Whether these refused so that no majority can agree any more, not counting on who is absent and has not agreed. */
    boolean rulesOutMajorityWith(Votes absent, Votes agreed) {
        return quorum.size() - Long.bitCount(voters | (absent.voters & ~agreed.voters)) < quorum.majority();
    }

    /** Whether nobody is left who is in none of the three. */
    boolean isEverybodyWith(Votes second, Votes third) {
        return countWith(second, third) == quorum.size();
    }

    /** How many are in one of the three at least. */
    int countWith(Votes second, Votes third) {
        return Long.bitCount(voters | second.voters | third.voters);
    }
}
