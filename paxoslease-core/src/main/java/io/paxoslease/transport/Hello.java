package io.paxoslease.transport;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;

/**
 * How a node introduces itself on a new connection, in both directions.
 *
 * @param config the configuration that the node runs
 * @param from who it is
 * @param to whom it means to talk to
 * @param bootId drawn at each start of a node: two of them for one node id are two processes
 * @param shard which of the event loops, on both sides, the connection is for; from 0
 */
public record Hello(CellConfig config, NodeId from, NodeId to, Incarnation bootId, int shard) {

    public Hello {
        if (shard < 0 || shard >= config.eventLoops()) {
            throw new IllegalArgumentException("no shard %d among %d".formatted(shard, config.eventLoops()));
        }
    }

    /** For the first shard. */
    public Hello(CellConfig config, NodeId from, NodeId to, Incarnation bootId) {
        this(config, from, to, bootId, 0);
    }
}
