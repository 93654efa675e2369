package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.paxoslease.monitor.ConnectionRefusal;
import java.util.HashMap;
import java.util.Map;

/** Accepts connections, and limits how many there are. On the node's event loop. */
final class ConnectionAcceptor {

    /** A peer has one connection, a second one while it reconnects, and some that are closed but not yet noticed. */
    private static final int CONNECTIONS_OF_A_PEER = 4;

    private final TransportContext transport;
    private final PeerLinks links;
    private final HandshakeLimiter limiter;
    private final Map<Channel, InboundConnection> accepted = new HashMap<>();
    private final int maxStrangersAndClients;

    /** @param maxClients how many clients there may be; some more are told that these are too many */
    ConnectionAcceptor(TransportContext transport, PeerLinks links, int maxClients) {
        this.transport = transport;
        this.links = links;
        int places = HandshakeLimiter.places(maxClients, transport.security.tls() != null);
        this.limiter =
                new HandshakeLimiter(places, () -> transport.loop.ticker().nanoTime());
        this.maxStrangersAndClients = places + maxClients;
    }

    /**
     * The most key exchanges that wait: each open connection has one at a time, and a node makes two to a peer at most while
     * one takes the place of the other.
     */
    static int maxKeyExchanges(int peers, int maxClients) {
        return (CONNECTIONS_OF_A_PEER + 2) * peers + HandshakeLimiter.places(maxClients, true);
    }

    void accept(Channel channel) {
        if (transport.isClosing() || accepted.size() >= CONNECTIONS_OF_A_PEER * links.size() + maxStrangersAndClients) {
            channel.close();
            return;
        }
        InboundConnection connection = new InboundConnection(transport, links, () -> limiter.leave(channel));
        accepted.put(channel, connection);
        channel.closeFuture().addListener(closed -> {
            accepted.remove(channel);
            limiter.leave(channel);
        });
        String host = Sockets.host(channel);
        String source = Sockets.source(channel);
        Channel closed = limiter.enter(channel, source);
        if (closed == channel) {
            transport.security.count(ConnectionRefusal.TOO_MANY_CONNECTIONS);
            transport.log.warnOfHost(
                    source,
                    ConnectionRefusal.TOO_MANY_CONNECTIONS,
                    "refused %s: too many connections are on their way, as when all clients come back: it may try again"
                            .formatted(host));
            channel.close();
            return;
        }
        connection.equip(channel);
        InboundConnection displaced = accepted.get(closed);
        if (displaced != null) {
            displaced.giveUp(
                    ConnectionRefusal.TOO_MANY_CONNECTIONS,
                    "too many connections that do not introduce themselves: the oldest is closed for a new one");
        }
    }
}
