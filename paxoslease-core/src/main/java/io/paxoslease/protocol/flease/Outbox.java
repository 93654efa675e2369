package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.NodeId;

/** Where a proposer puts what it wants done. */
interface Outbox {

    void send(NodeId to, FleaseMessage message);

    void emit(Effect effect);
}
