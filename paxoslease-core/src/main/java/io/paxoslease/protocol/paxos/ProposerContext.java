package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import java.util.function.Predicate;

/** What the parts of a proposer share. */
record ProposerContext(
        NodeId self,
        Generations generations,
        Timing timing,
        CounterAdvice counters,
        Backoff backoff,
        LocalAcceptor here,
        RecentReleases released,
        EffectBuffer out) {

    /** Who decides now; what is under way has its own. */
    Quorum quorum() {
        return generations.quorum();
    }

    void broadcast(Message message) {
        send(message, acceptor -> true);
    }

    /** To the acceptors that are chosen. */
    void send(Message message, Predicate<NodeId> chosen) {
        for (NodeId acceptor : quorum().acceptors()) {
            if (chosen.test(acceptor)) {
                out.send(acceptor, message);
            }
        }
    }
}
