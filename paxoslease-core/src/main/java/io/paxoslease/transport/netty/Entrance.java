package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;
import io.paxoslease.ConnectionRefusal;
import java.util.HashSet;
import java.util.Set;

/** Where a node accepts connections. On the node's event loop. */
final class Entrance {

    /** Each peer has one connection here, one more while it is made anew, and some that it has closed already. */
    private static final int CONNECTIONS_OF_A_PEER = 4;

    private final Links links;
    private final Doorway doorway = new Doorway();
    private final Set<Channel> accepted = new HashSet<>();
    private final int maxAccepted;

    Entrance(Links links, int peers) {
        this.links = links;
        this.maxAccepted = CONNECTIONS_OF_A_PEER * peers + Doorway.PLACES;
    }

    /**
     * The most key exchanges that wait: each open connection has one at a time, and a node makes two to a peer at most while
     * one takes the place of the other.
     */
    static int maxKeyExchanges(int peers) {
        return (CONNECTIONS_OF_A_PEER + 2) * peers + Doorway.PLACES;
    }

    void accept(SocketChannel channel) {
        if (links.isClosing() || accepted.size() >= maxAccepted) {
            channel.close();
            return;
        }
        AcceptedConnection connection = new AcceptedConnection(links);
        accepted.add(channel);
        channel.closeFuture().addListener(closed -> left(channel, connection));
        TlsSetup tls = connection.tls();
        links.equip(
                channel.pipeline(),
                connection,
                tls == null ? null : tls.accepting(new ChannelTasks(links.tlsTasks, channel)));
        AcceptedConnection leaving = doorway.enter(connection, Connection.hostOf(channel));
        if (leaving != null) {
            leaving.giveUp(
                    ConnectionRefusal.TOO_MANY_CONNECTIONS,
                    "too many connections that do not introduce themselves: the oldest is closed for each new one");
        }
    }

    private void left(Channel channel, AcceptedConnection connection) {
        accepted.remove(channel);
        doorway.leave(connection);
    }

    /** It is no stranger's any more. */
    void introduced(AcceptedConnection connection) {
        doorway.leave(connection);
    }
}
