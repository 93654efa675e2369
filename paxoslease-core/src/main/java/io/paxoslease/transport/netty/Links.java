package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Transport.Receiver;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Every connection of a node. Everything happens on its event loop, save {@link #states()}. */
final class Links {

    /** A peer that leaves this much unread is slow: what is sent to it is dropped until it has caught up. */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1_024, 1_024 * 1_024);

    /** For everything: TLS, and the introduction. */
    static final long HANDSHAKE_MILLIS = 3_000;

    private static final int TICK_SECONDS = 1;
    private static final int SILENCE_SECONDS = 4;
    private static final int TLS_THREADS = 2;
    private static final int IDLE_SECONDS = 10;
    /** More than a cell has members. */
    private static final int MAX_MET = 128;

    final Sockets sockets = Sockets.best();
    final Identity identity;
    final Security security;
    final Admission admission;
    final EventLoop loop;
    final OnceLog log;
    final UnaryOperator<InetSocketAddress> resolver;
    /** Name service look-ups may take seconds: never on the event loop. */
    final ExecutorService lookUps;

    /** Key exchanges and the validation of certificates cost milliseconds: never on the event loop. */
    final ThreadPoolExecutor tlsTasks;

    private final Map<NodeId, PeerLink> peers = new LinkedHashMap<>();
    /** Nodes that run another configuration, met since the peers were last told. */
    private final Map<NodeId, Hello> met = new LinkedHashMap<>();

    private final Entrance entrance;
    private int ticks;
    /** All of them, also those that are still connecting. */
    private final ChannelGroup open;

    private @Nullable Receiver receiver;
    private boolean closing;

    Links(
            Identity identity,
            Security security,
            Map<NodeId, InetSocketAddress> others,
            UnaryOperator<InetSocketAddress> resolver,
            EventLoop loop) {
        this.identity = identity;
        this.security = security;
        this.open = new DefaultChannelGroup(loop, true);
        this.admission = new Admission(identity.config(), identity.self());
        this.loop = loop;
        this.log = new OnceLog(LoggerFactory.getLogger(NettyTransport.class), loop.ticker()::nanoTime);
        this.resolver = resolver;
        this.lookUps = Executors.newCachedThreadPool(
                new DefaultThreadFactory("paxoslease-" + identity.self() + "-lookup", true));
        this.tlsTasks = new ThreadPoolExecutor(
                TLS_THREADS,
                TLS_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(Entrance.maxKeyExchanges(others.size())),
                new DefaultThreadFactory("paxoslease-" + identity.self() + "-tls", true));
        tlsTasks.allowCoreThreadTimeOut(true);
        this.entrance = new Entrance(this, others.size());
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
        loop.scheduleAtFixedRate(this::tick, TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
    }

    /** One peer's connections a second are brought up to the TLS set-up of now. */
    private void tick() {
        if (closing) {
            return;
        }
        List<PeerLink> all = List.copyOf(peers.values());
        all.forEach(peer -> guard(peer, peer::tick));
        all.forEach(peer -> guard(peer, () -> met.values().forEach(peer::tellOf)));
        met.clear();
        if (!all.isEmpty()) {
            PeerLink next = all.get(ticks++ % all.size());
            guard(next, next::renew);
        }
    }

    /** A fault with one peer, such as no memory for a ping, must not end the ticks for all. */
    private void guard(PeerLink peer, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            log.warn(
                    peer.id().name(),
                    ConnectionRefusal.FAULT,
                    "the connection with peer '%s' could not be looked after (%s); trying again"
                            .formatted(peer.id(), failure));
        }
    }

    /** In a large cell longer, so that every peer has had its turns. */
    long graceSeconds() {
        return Math.max(security.grace().toSeconds(), 3L * TICK_SECONDS * peers.size());
    }

    PeerLink peer(NodeId id) {
        return Objects.requireNonNull(peers.get(id), "no such peer");
    }

    /** The same for both directions; the frame's length field is checked before anything is allocated. */
    void equip(ChannelPipeline pipeline, Connection connection, @Nullable SslHandler tls) {
        pipeline.addLast(new HandshakeBytes(connection));
        if (tls != null) {
            pipeline.addLast(tls);
        }
        pipeline.addLast(new LengthFieldBasedFrameDecoder(Frames.MAX_FRAME + 4, 0, 4, 0, 4))
                .addLast(new IdleStateHandler(SILENCE_SECONDS, 0, 0))
                .addLast(connection);
        open.add(pipeline.channel());
        connection.watch(HANDSHAKE_MILLIS);
    }

    /** Where this node's connections are accepted. */
    Entrance entrance() {
        return entrance;
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

    /**
     * A node of this cell that runs another configuration was met: this node hears of it at once, and the peers when they are told next. Its
     * certificate has been judged.
     */
    void met(Hello other) {
        if (heardOf(other) && met.size() < MAX_MET) {
            met.put(other.from(), other);
        }
    }

    /** The same from a peer that has met it, and tells every other one itself. */
    boolean heardOf(Hello other) {
        String difference = admission.difference(other);
        if (difference != null && !closing) {
            receiver().otherConfiguration(other.from(), other.config(), difference);
        }
        return difference != null;
    }

    /** What the other end is told that is refused. */
    Rejection explained(Rejection rejection, NodeId refused) {
        return rejection.isOfConfiguration()
                ? new Rejection(
                        rejection.reason(),
                        rejection.text(),
                        new Rejection.Refuser(
                                identity.helloTo(refused), receiver().serves()))
                : rejection;
    }

    /** Why the certificate that was shown is not that node's; null when it is. */
    @Nullable
    Rejection judgeCertificate(SslHandler tls, NodeId id) {
        String cell = identity.config().cell();
        String names = "none";
        try {
            if (tls.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate certificate) {
                if (CertificateNames.include(certificate, cell, id)) {
                    return null;
                }
                names = CertificateNames.of(certificate).toString();
            }
        } catch (SSLPeerUnverifiedException e) {
            // It names nobody.
        }
        return new Rejection(
                Rejection.Reason.NODE_ID_MISMATCH,
                ("the certificate that '%s' shows does not name it, its names are %s: give every node its own"
                                + " certificate, with a DNS entry '%s' or a URI entry 'paxoslease://%s/%s'")
                        .formatted(id, Printable.name(names), id, cell, id));
    }

    /** Answers that leave together with requests take their way: one packet less, and one less to read for the peer. */
    void send(NodeId to, List<Message> messages) {
        PeerLink peer = peers.get(to);
        if (peer != null) {
            Channel forRequests = asks(messages) ? peer.channelForRequests() : null;
            boolean takesThem = forRequests != null && forRequests.isWritable();
            write(takesThem ? forRequests : peer.channelForAnswers(), messages);
        }
    }

    private static boolean asks(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof PaxosMessage.Request) {
                return true;
            }
        }
        return false;
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

    List<PeerState> states() {
        return peers.values().stream().map(PeerLink::state).toList();
    }

    /** Closes what is open yet. A loop that is shut down at once may leave that to nobody, with what waits to be sent. */
    void end() {
        closing = true;
        open.close();
    }

    /** Half-closes every connection, so that what was written arrives; completes when the peers closed theirs. */
    void close(CompletableFuture<Void> closed) {
        closing = true;
        lookUps.shutdownNow();
        tlsTasks.shutdown();
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
