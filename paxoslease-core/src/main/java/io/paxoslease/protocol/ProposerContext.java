package io.paxoslease.protocol;

/** What the parts of a proposer share. */
record ProposerContext(
        NodeId self,
        Quorum quorum,
        Timing timing,
        Counters counters,
        Backoff backoff,
        LocalAcceptor here,
        EffectBuffer out) {

    void broadcast(Message message) {
        for (NodeId acceptor : quorum.acceptors()) {
            out.send(acceptor, message);
        }
    }
}
