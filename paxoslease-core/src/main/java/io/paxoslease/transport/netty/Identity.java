package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;

/** What this node says of itself in every handshake. */
record Identity(CellConfig config, NodeId self, Incarnation bootId) {

    Hello helloTo(NodeId peer) {
        return new Hello(config, self, peer, bootId);
    }
}
