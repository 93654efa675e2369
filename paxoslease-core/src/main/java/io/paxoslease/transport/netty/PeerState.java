package io.paxoslease.transport.netty;

import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What the transport knows of a peer.
 *
 * @param node the peer
 * @param connected whether messages can be sent to it now
 * @param problem why not, in words; null when connected or not yet known
 */
public record PeerState(
        NodeId node, boolean connected, @Nullable String problem) {}
