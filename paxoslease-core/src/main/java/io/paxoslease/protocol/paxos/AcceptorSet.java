package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;

/** A set of distinct acceptors: a message that arrives twice counts once (P3). */
final class AcceptorSet {

    private final Quorum quorum;
    private long voters;

    AcceptorSet(Quorum quorum) {
        this.quorum = quorum;
    }

    void add(NodeId acceptor) {
        voters |= 1L << quorum.indexOf(acceptor);
    }

    void addAll(AcceptorSet others) {
        voters |= others.voters;
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
        return quorum.isMajority(voters);
    }

    /** Whether these refused so that no majority can agree any more, not counting on acceptors that are absent and have not agreed. */
    boolean rulesOutMajorityWith(AcceptorSet absent, AcceptorSet agreed) {
        return !quorum.isMajority(~(voters | (absent.voters & ~agreed.voters)));
    }

    /** Whether every acceptor is in one of the three at least. */
    boolean coverAllWith(AcceptorSet second, AcceptorSet third) {
        return Long.bitCount(voters | second.voters | third.voters) == quorum.size();
    }
}
