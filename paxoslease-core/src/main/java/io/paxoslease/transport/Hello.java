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
 * @param versions of the wire format, that it speaks; in a {@link Frames#WELCOME} the one that is agreed on
 */
public record Hello(CellConfig config, NodeId from, NodeId to, Incarnation bootId, Versions versions) {

    /** The same, as it is said to a node that speaks those versions. */
    public Hello in(Versions spoken) {
        return new Hello(config, from, to, bootId, spoken);
    }
}
