package io.paxoslease.protocol;

/** A set of distinct acceptors: a message that arrives twice counts once (section 6, row 9). */
final class Votes {

    private final Quorum quorum;
    private long voters;

    Votes(Quorum quorum) {
        this.quorum = quorum;
    }

    void add(NodeId acceptor) {
        voters |= 1L << quorum.indexOf(acceptor);
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

    /** Whether a majority is out of reach once these acceptors have refused, and the others do not answer. */
    boolean rulesOutMajorityWith(Votes others) {
        return quorum.size() - Long.bitCount(voters | others.voters) < quorum.majority();
    }

    /** Whether nobody is left who is in none of the three. */
    boolean isEverybodyWith(Votes second, Votes third) {
        return Long.bitCount(voters | second.voters | third.voters) == quorum.size();
    }
}
