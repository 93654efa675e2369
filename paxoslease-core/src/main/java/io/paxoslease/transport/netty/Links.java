package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Transport.Receiver;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Every connection of one node. Everything happens on its event loop, save {@link #states()}. */
final class Links {

    /** A peer that leaves this much unread is slow: what is sent to it is dropped until it has caught up. */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1_024, 1_024 * 1_024);

    private static final long HANDSHAKE_MILLIS = 3_000;
    private static final int PING_SECONDS = 1;
    private static final int SILENCE_SECONDS = 4;
    private static final int SPARE_CONNECTIONS = 16;

    final Identity identity;
    final Admission admission;
    final EventLoop loop;
    final OnceLog log = new OnceLog(LoggerFactory.getLogger(NettyTransport.class));
    final UnaryOperator<InetSocketAddress> resolver;
    /** Name service look-ups may take seconds: never on the event loop. */
    final ExecutorService lookUps;

    private final Map<NodeId, PeerLink> peers = new LinkedHashMap<>();
    private final Set<Channel> accepted = new HashSet<>();
    private final int maxAccepted;
    private @Nullable Receiver receiver;
    private boolean closing;

    Links(
            Identity identity,
            Map<NodeId, InetSocketAddress> others,
            UnaryOperator<InetSocketAddress> resolver,
            EventLoop loop) {
        this.identity = identity;
        this.admission = new Admission(identity.config(), identity.self());
        this.loop = loop;
        this.resolver = resolver;
        this.lookUps = Executors.newCachedThreadPool(
                new DefaultThreadFactory("paxoslease-" + identity.self() + "-lookup", true));
        this.maxAccepted = 2 * others.size() + SPARE_CONNECTIONS;
        others.forEach((id, address) -> peers.put(id, new PeerLink(this, id, address)));
    }

    void receiver(Receiver node) {
        this.receiver = node;
    }

    Receiver receiver() {
        return Objects.requireNonNull(receiver, "not started");
    }

    boolean isClosing() {
        return closing;
    }

    void connectAll() {
        peers.values().forEach(PeerLink::connect);
    }

    PeerLink peer(NodeId id) {
        return Objects.requireNonNull(peers.get(id), "no such peer");
    }

    /** The same for both directions; the frame's length field is checked before anything is allocated. */
    void equip(ChannelPipeline pipeline, Connection connection) {
        pipeline.addLast(new LengthFieldBasedFrameDecoder(Frames.MAX_FRAME + 4, 0, 4, 0, 4))
                .addLast(new IdleStateHandler(SILENCE_SECONDS, PING_SECONDS, 0))
                .addLast(connection);
        Channel channel = pipeline.channel();
        loop.schedule(
                () -> {
                    if (!connection.isReady()) {
                        channel.close();
                    }
                },
                HANDSHAKE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    void accept(SocketChannel channel) {
        if (closing || accepted.size() >= maxAccepted) {
            channel.close();
            return;
        }
        accepted.add(channel);
        channel.closeFuture().addListener(closed -> accepted.remove(channel));
        equip(channel.pipeline(), new AcceptedConnection(this));
    }

    /** Why the node at the other end may not take part; null when it may. */
    @Nullable
    Rejection judge(Hello hello) {
        Rejection rejection = admission.judge(hello);
        if (rejection != null) {
            return rejection;
        }
        String other = peer(hello.from()).addressOfAnother(hello.bootId());
        return other == null
                ? null
                : new Rejection(
                        Rejection.Reason.DUPLICATE_NODE,
                        "'%s' is connected already, from %s: give every process a node id of its own"
                                .formatted(hello.from(), other));
    }

    void send(NodeId to, List<Message> messages) {
        PeerLink peer = peers.get(to);
        if (peer == null) {
            return;
        }
        List<Message> requests = new ArrayList<>(messages.size());
        List<Message> answers = new ArrayList<>(messages.size());
        for (Message message : messages) {
            (message instanceof Message.Request ? requests : answers).add(message);
        }
        write(peer.channelForRequests(), requests);
        write(peer.channelForAnswers(), answers);
    }

    private static void write(@Nullable Channel channel, List<Message> messages) {
        if (channel == null || !channel.isWritable()) {
            return;
        }
        int next = 0;
        while (next < messages.size()) {
            ByteBuf frame = channel.alloc().ioBuffer();
            next = Frames.writeMessages(frame, messages, next);
            channel.write(frame, channel.voidPromise());
        }
        channel.flush();
    }

    Collection<PeerState> states() {
        return peers.values().stream().map(PeerLink::state).toList();
    }

    /** Half-closes every connection, so that what was written arrives; completes when the peers closed theirs. */
    void close(CompletableFuture<Void> closed) {
        closing = true;
        lookUps.shutdownNow();
        Set<Channel> open = new HashSet<>(accepted);
        peers.values().forEach(peer -> peer.addOpenChannels(open));
        CompletableFuture<?>[] all = open.stream()
                .map(channel -> {
                    CompletableFuture<Void> one = new CompletableFuture<>();
                    channel.closeFuture().addListener(done -> one.complete(null));
                    if (channel instanceof SocketChannel socket && socket.isActive()) {
                        socket.shutdownOutput();
                    } else {
                        channel.close();
                    }
                    return one;
                })
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).whenComplete((done, failure) -> closed.complete(null));
    }
}
