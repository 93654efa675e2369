package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.paxoslease.transport.Hello;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/**
 * Where a node accepts connections: on the loop of its first shard. Whoever has introduced himself to another shard is handed
 * over to that one's loop, once and before he is answered, and is that loop's from then on. Of the first shard's loop.
 */
final class Entrance {

    /** Each peer has one connection here, one more while it is made anew, and some that it has closed already. */
    private static final int CONNECTIONS_OF_A_PEER = 4;

    private final Links first;
    private final List<Links> shards = new ArrayList<>();
    private final Doorway doorway;
    private final Set<Channel> accepted = new HashSet<>();
    private final int maxAccepted;

    Entrance(Links first, int peers, int eventLoops) {
        this.first = first;
        this.doorway = new Doorway(eventLoops);
        this.maxAccepted = (CONNECTIONS_OF_A_PEER * peers + Doorway.PLACES) * eventLoops;
        shards.add(first);
    }

    /**
     * The most key exchanges that wait: each open connection has one at a time, and a node makes two to a peer at most while
     * one takes the place of the other.
     */
    static int maxKeyExchanges(int peers, int eventLoops) {
        return ((CONNECTIONS_OF_A_PEER + 2) * peers + Doorway.PLACES) * eventLoops;
    }

    /** In their order, before anything is accepted. */
    void add(Links shard) {
        shards.add(shard);
    }

    void accept(SocketChannel channel) {
        if (first.isClosing() || accepted.size() >= maxAccepted) {
            channel.close();
            return;
        }
        AcceptedConnection connection = new AcceptedConnection(first);
        accepted.add(channel);
        channel.closeFuture().addListener(closed -> left(channel, connection));
        TlsSetup tls = connection.tls();
        first.equip(
                channel.pipeline(),
                connection,
                tls == null ? null : tls.accepting(new ChannelTasks(first.tlsTasks, channel)));
        AcceptedConnection leaving = doorway.enter(connection, Connection.hostOf(channel));
        if (leaving != null) {
            leaving.giveUp(
                    Refusal.TOO_MANY_CONNECTIONS,
                    "too many connections that do not introduce themselves: the oldest is closed for each new one");
        }
    }

    private void left(Channel channel, AcceptedConnection connection) {
        if (first.loop.inEventLoop()) {
            accepted.remove(channel);
            doorway.leave(connection);
            return;
        }
        try { // it was handed over
            first.loop.execute(() -> accepted.remove(channel));
        } catch (RejectedExecutionException stopped) {
            // Nobody counts any more.
        }
    }

    /** It is no stranger's any more. */
    void introduced(AcceptedConnection connection) {
        doorway.leave(connection);
    }

    /** Each shard does it on its own loop. */
    void tellAll(Consumer<Links> what) {
        for (Links shard : shards) {
            if (shard.loop.inEventLoop()) {
                what.accept(shard);
            } else if (!shard.loop.isShuttingDown()) {
                shard.loop.execute(() -> what.accept(shard));
            }
        }
    }

    Links shard(int index) {
        return shards.get(index);
    }

    /**
     * Takes the channel off this loop, and continues on the shard's. Nothing is read meanwhile, and nothing that belongs to the
     * connection is left on this loop: its watch is cancelled, and the silence is measured anew over there.
     */
    void handOver(ChannelHandlerContext context, AcceptedConnection connection, Hello hello) {
        Links shard = shard(hello.shard());
        introduced(connection);
        connection.unwatch();
        Channel channel = context.channel();
        channel.config().setAutoRead(false);
        context.pipeline().remove(IdleStateHandler.class);
        channel.deregister()
                .addListener(
                        done -> { // after the read that brought the hello
                            if (!isQuiet(channel)) {
                                channel.close();
                                return;
                            }
                            shard.loop.register(channel).addListener(there -> {
                                if (there.isSuccess()) {
                                    connection.arrive(context, hello, shard);
                                }
                            });
                        });
    }

    /** A task of TLS would come back to this loop; a peer that waits for its welcome causes none. */
    private static boolean isQuiet(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls == null || tls.engine().getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }
}
