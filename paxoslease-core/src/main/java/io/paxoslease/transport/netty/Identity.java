package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;

/** Who this node is, and which of its shards, for every handshake. */
record Identity(CellConfig config, NodeId self, Incarnation bootId, int shard) {

    Identity(CellConfig config, NodeId self, Incarnation bootId) {
        this(config, self, bootId, 0);
    }

    Identity of(int anotherShard) {
        return new Identity(config, self, bootId, anotherShard);
    }

    Hello helloTo(NodeId peer) {
        return new Hello(config, self, peer, bootId, shard);
    }
}
