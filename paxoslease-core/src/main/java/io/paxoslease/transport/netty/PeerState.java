package io.paxoslease.transport.netty;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the transport knows of a peer.
 *
 * @param node the peer
 * @param connected whether messages can be sent to it now
 * @param problem why not, in words; null when connected or not yet known
 * @param refusal why this node refused the peer, or {@link ConnectionRefusal#BY_PEER}; null when the problem is another one
 * @param roundTripNanos how long a ping and its answer take, smoothed; -1 when not connected or not yet known
 * @param address where it is called; null when that is configured, or it is not called
 * @param knownNanos how long this node has known the process that is connected, over all its connections; -1 when not connected
 */
public record PeerState(
        NodeId node,
        boolean connected,
        @Nullable String problem,
        @Nullable ConnectionRefusal refusal,
        long roundTripNanos,
        @Nullable InetSocketAddress address,
        long knownNanos) {

    /** When the round trip is not known, or the process. */
    public static final long UNKNOWN = -1;

    public PeerState(NodeId node, boolean connected, @Nullable String problem) {
        this(node, connected, problem, null, UNKNOWN, null, UNKNOWN);
    }

    /** The same of a peer whose process has been known for so long. */
    public PeerState knownFor(long nanos) {
        return new PeerState(node, connected, problem, refusal, roundTripNanos, address, nanos);
    }
}
