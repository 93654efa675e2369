package io.paxoslease.transport.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * TCP between the nodes of a cell. Each member connects to each other one and sends its requests there; answers go back
 * over the connection that the question came by; either stands in for the other. The node's state machine runs on this
 * transport's event loop, so that a message is read, handled and answered without changing threads.
 */
public final class NettyTransport implements Transport {

    /** As many clients as come back at once when a member restarts; the system may know a lower bound. */
    private static final int BACKLOG = 1_024;

    private static final long CLOSE_MILLIS = 200;

    private static final long LOOK_MILLIS = 20;
    /** For so many looks the others read nothing: they are given up. */
    private static final int MOST_IDLE_LOOKS = 100;

    private static final long MOST_MILLIS = 10_000;

    final TransportContext context;
    final PeerLinks links;
    private final ConnectionAcceptor acceptor;
    private final @Nullable InetSocketAddress listenAddress;
    private final MultiThreadIoEventLoopGroup group;
    private @Nullable Channel server;
    /** Made at the start: a node that fails for want of memory makes nothing. */
    private final Runnable leaving = this::leaveOnLoop;

    private NettyTransport(
            Identity identity,
            Map<NodeId, InetSocketAddress> peers,
            @Nullable InetSocketAddress listenAddress,
            UnaryOperator<InetSocketAddress> resolver,
            Security security,
            ClientLimits clients) {
        int maxClients = clients.most();
        this.listenAddress = listenAddress;
        this.group = Sockets.BEST.newLoop("paxoslease-" + identity.self());
        Map<NodeId, InetSocketAddress> others = new LinkedHashMap<>(peers);
        others.remove(identity.self());
        this.context = new TransportContext(
                identity,
                peers,
                security,
                resolver,
                group.next(),
                ConnectionAcceptor.maxKeyExchanges(others.size(), maxClients),
                LoggerFactory.getLogger(NettyTransport.class),
                ClientMemory.ofThisProcess());
        this.links =
                new PeerLinks(context, others, new ClientLinks(context, clients, whyNoClients(identity, maxClients)));
        this.acceptor = new ConnectionAcceptor(context, links, maxClients);
    }

    private static @Nullable String whyNoClients(Identity identity, int maxClients) {
        if (identity.config().clockBound() != null) {
            return "the cell runs the algorithm '%s', which has members only: list this node among the peers of every node"
                    .formatted(identity.config().algorithm());
        }
        return maxClients > 0
                ? null
                : "'%s' admits no clients: see maxClients there, or list this node among the peers of every node"
                        .formatted(identity.self());
    }

    /**
     * Of a member.
     *
     * @param config what every node of the cell must have in common
     * @param self this node, a member
     * @param bootId drawn for this start of the node
     * @param peers the address of every member of both lists of the generation, this node's own included
     * @param bindHost where to listen; null: this node's own host in the peers
     * @param resolver resolves a peer's address before each connection attempt, off the event loop
     * @param security the TLS set-up, and where refused connections are counted
     * @param others the messages of another algorithm that the cell runs
     * @param clients how many clients it admits
     */
    public static NettyTransport ofMember(
            CellConfig config,
            NodeId self,
            Incarnation bootId,
            Map<NodeId, InetSocketAddress> peers,
            @Nullable String bindHost,
            UnaryOperator<InetSocketAddress> resolver,
            Security security,
            MessageTypes others,
            ClientLimits clients) {
        Identity identity = new Identity(config, self, bootId, Versions.OURS, others);
        return ofMember(identity, peers, bindHost, resolver, security, clients);
    }

    static NettyTransport ofMember(
            Identity identity,
            Map<NodeId, InetSocketAddress> peers,
            @Nullable String bindHost,
            UnaryOperator<InetSocketAddress> resolver,
            Security security,
            ClientLimits clients) {
        NodeId self = identity.self();
        InetSocketAddress own = peers.get(self);
        if (own == null) {
            throw new IllegalArgumentException(self + " is not among the peers");
        }
        InetSocketAddress listen =
                InetSocketAddress.createUnresolved(bindHost == null ? own.getHostString() : bindHost, own.getPort());
        return new NettyTransport(identity, peers, listen, resolver, security, clients);
    }

    /**
     * Of a client: it connects to every member, and listens nowhere.
     *
     * @param application which application the client is an instance of; empty when it does not say
     * @param members the address of every member of both lists of the generation
     */
    public static NettyTransport ofClient(
            CellConfig config,
            NodeId self,
            Incarnation bootId,
            String application,
            Map<NodeId, InetSocketAddress> members,
            UnaryOperator<InetSocketAddress> resolver,
            Security security) {
        Identity identity =
                new Identity(config, self, bootId, Versions.OURS, Hello.Role.CLIENT, application, MessageTypes.NONE);
        return new NettyTransport(identity, members, null, resolver, security, ClientLimits.NONE);
    }

    /** The one thread that everything happens on. */
    public ScheduledExecutorService loop() {
        return context.loop;
    }

    /**
     * Listens, if it is a member's, and starts to connect.
     *
     * @param receiver what messages and peers are reported to, on the event loop
     * @throws IOException when the address cannot be listened on, or its host does not resolve
     */
    public void start(Receiver receiver) throws IOException {
        context.receiver(receiver);
        if (listenAddress != null) {
            listen(listenAddress);
        }
        context.loop.execute(context.guarded(links::connectAll));
    }

    private void listen(InetSocketAddress own) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(own.getHostString()), own.getPort());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(context.loop)
                .channel(context.sockets.server())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportContext.WATER_MARK)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        acceptor.accept(channel);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
                        if (FaultHandler.isOfThisNode(cause)) {
                            NettyTransport.this.context.failed(cause);
                        }
                        super.exceptionCaught(context, cause);
                    }
                });
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (bound.cause() instanceof Error failure) { // without a thread for the loop
            throw failure;
        }
        if (!bound.isSuccess()) {
            throw new IOException(
                    Sockets.withoutCall(String.valueOf(bound.cause().getMessage())), bound.cause());
        }
        server = bound.channel();
    }

    @Override
    public void send(NodeId to, List<Message> messages) {
        links.send(to, messages);
    }

    /** A loop whose thread has died for want of memory can stay like that: it is neither shut down nor run by another thread. */
    @Override
    public boolean isEnding() {
        return context.loop.isShuttingDown();
    }

    @Override
    public String sourceOf(NodeId client) {
        return links.clients.sourceOf(client);
    }

    @Override
    public void knowsSeal(int generation) {
        links.changes.knowsSeal(generation);
    }

    @Override
    public void sealed(int generation) {
        links.changes.sealed(generation);
    }

    @Override
    public void follows(Generation generation) {
        links.changes.counts(generation);
    }

    @Override
    public void coming(Generation next, Map<NodeId, InetSocketAddress> members) {
        links.changes.coming(new ComingMembers(next, members));
    }

    @Override
    public void changed(Generation generation) {
        links.changes.changed(generation);
    }

    /** The clients of this member. Any thread. */
    public ClientCounts clients() {
        return links.clients.counts();
    }

    /** What is known of every other member. Any thread. */
    public List<PeerState> peers() {
        return links.states();
    }

    /** Stops listening, lets what was sent leave, closes every connection and ends the event loop, also one that has ended by an Error. Any other thread. */
    public void close() {
        try {
            closeOnLoop();
        } catch (RejectedExecutionException over) {
            context.endThreads();
            closeWithoutLoop();
        } finally {
            group.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }

    private void closeOnLoop() {
        context.loop.submit(this::closeServer).awaitUninterruptibly(CLOSE_MILLIS);
        awaitReading();
        context.loop.submit(context::halfClose).awaitUninterruptibly(CLOSE_MILLIS);
        context.open
                .newCloseFuture()
                .awaitUninterruptibly(CLOSE_MILLIS); // by the peers, too; none is waited for any longer
        context.loop.submit(context::end).awaitUninterruptibly(CLOSE_MILLIS);
    }

    /** Waits for the others to read the releases, as long as they do and a lease may last, ten seconds at most. What is unread then is lost. */
    private void awaitReading() {
        long millis =
                Math.min(MOST_MILLIS, context.identity.config().maxLeaseTime().toMillis());
        long end = nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
        long before = Long.MAX_VALUE;
        int idle = 0;
        for (long wait = 0; idle < MOST_IDLE_LOOKS && nanos() < end; wait = LOOK_MILLIS) {
            Future<Long> look = context.loop.schedule(links::unread, wait, TimeUnit.MILLISECONDS);
            look.awaitUninterruptibly(end - nanos(), TimeUnit.NANOSECONDS); // this process may be what is slow
            if (!look.isSuccess() || look.getNow() == 0) {
                return;
            }
            idle = look.getNow() < before ? 0 : idle + 1;
            before = look.getNow();
        }
    }

    private long nanos() {
        return context.loop.ticker().nanoTime();
    }

    /**
     * Stops listening and closes every connection; the event loop goes on. Any thread; does not wait.
     *
     * @return whether all are closed; else it is to be called again
     */
    public boolean leave() {
        if (context.loop.inEventLoop()) {
            leaveOnLoop();
        } else if (context.loop.isShutdown()) { // by an Error: it closes nothing any more
            closeWithoutLoop();
            return true;
        } else if (!hasLeft()) {
            context.loop.execute(leaving);
        }
        return hasLeft();
    }

    private boolean hasLeft() {
        return (server == null || !server.isOpen()) && context.open.isEmpty();
    }

    private void closeWithoutLoop() {
        Channel listening = server;
        if (listening != null) {
            closeWithoutLoop(listening);
        }
        context.open.forEach(this::closeWithoutLoop);
        context.open.clear(); // the loop would take out what has closed
    }

    /** One that was opened while the loop ended is still registered there: with assertions enabled, Netty expects its thread then. */
    private void closeWithoutLoop(Channel channel) {
        try {
            channel.unsafe().closeForcibly();
        } catch (AssertionError registered) {
            context.log.plain.debug("A connection could not be closed without the event loop", registered);
        }
    }

    /** Those that there is memory for; the others in the next attempt. */
    private void leaveOnLoop() {
        closeServer();
        context.endOneByOne();
    }

    private void closeServer() {
        if (server != null && server.isOpen()) {
            server.close();
        }
    }
}
