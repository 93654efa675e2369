package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Backoff;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.Set;

/**
 * What the parts of a proposer share.
 *
 * @param absent the nodes that cannot be reached
 */
record ProposerContext(
        Participation participation,
        WriterIdentity life,
        Quorum quorum,
        TimeRules bound,
        WaitList waitList,
        Backoff backoff,
        Set<NodeId> absent,
        EffectBuffer out) {

    boolean isServing() {
        return participation.isServing();
    }

    void broadcast(FleaseMessage message) {
        quorum.acceptors().forEach(acceptor -> out.send(acceptor, message));
    }
}
