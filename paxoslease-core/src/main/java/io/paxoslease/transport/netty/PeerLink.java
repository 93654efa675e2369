package io.paxoslease.transport.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections between this node and one peer: the one it made, and the one it accepted. */
final class PeerLink {

    private static final Logger log = LoggerFactory.getLogger(NettyTransport.class);
    private static final int CONNECT_MILLIS = 2_000;
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LONGEST_RETRY_MILLIS = 1_000;
    private static final int MAX_DOUBLINGS = 5;

    private final Links links;
    private final NodeId id;
    private final InetSocketAddress address;

    private @Nullable Connection made;
    private @Nullable Connection taken;
    private @Nullable Incarnation bootId;
    private boolean connecting;
    private boolean retrying;
    private int failures;
    private volatile PeerState state;

    PeerLink(Links links, NodeId id, InetSocketAddress address) {
        this.links = links;
        this.id = id;
        this.address = address;
        this.state = new PeerState(id, false, null);
    }

    PeerState state() {
        return state;
    }

    /** Resolves the peer's name afresh and connects, unless that is done or under way. */
    void connect() {
        if (links.isClosing() || connecting || made != null) {
            return;
        }
        connecting = true;
        try {
            CompletableFuture.supplyAsync(() -> links.resolver.apply(address), links.lookUps)
                    .whenComplete((resolved, failure) ->
                            links.loop.execute(() -> connectTo(resolved == null ? address : resolved)));
        } catch (RejectedExecutionException closed) {
            connecting = false;
        }
    }

    private void connectTo(InetSocketAddress resolved) {
        if (links.isClosing()) {
            return;
        }
        if (resolved.isUnresolved()) {
            connecting = false;
            failed("host '%s' of peer '%s' does not resolve: check its address in the peers; trying again"
                    .formatted(address.getHostString(), id));
            return;
        }
        MadeConnection connection = new MadeConnection(links, this);
        new Bootstrap()
                .group(links.loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, Links.WATER_MARK)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        links.equip(channel.pipeline(), connection);
                    }
                })
                .connect(resolved)
                .addListener(done -> {
                    connecting = false;
                    if (!done.isSuccess()) {
                        failed("cannot reach peer '%s' at %s (%s); trying again"
                                .formatted(id, configured(), reason(done.cause())));
                    }
                });
    }

    /** The connection that this node makes is up to the handshake, or past it. */
    void making(Connection connection) {
        made = connection;
    }

    void madeReady(Incarnation peerBootId) {
        failures = 0;
        ready(peerBootId);
    }

    void takenReady(Connection connection, Incarnation peerBootId) {
        Connection previous = taken;
        taken = connection;
        if (previous != null) {
            previous.close();
        }
        ready(peerBootId);
        failures = 0;
        connect();
    }

    private void ready(Incarnation peerBootId) {
        bootId = peerBootId;
        links.log.well(id.name());
        if (!state.connected()) {
            log.info("Connected to peer '{}' at {}", id, configured());
        }
        state = new PeerState(id, true, null);
        links.receiver().reachable(id);
    }

    void madeClosed(Connection connection, @Nullable String problem) {
        if (made == connection) {
            made = null;
            failed(problem == null ? lost() : problem);
        }
    }

    void takenClosed(Connection connection) {
        if (taken == connection) {
            taken = null;
            noteState(lost());
        }
    }

    private void failed(String problem) {
        if (links.isClosing()) {
            return;
        }
        noteState(problem);
        if (retrying) {
            return;
        }
        retrying = true;
        long longest = Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures++, MAX_DOUBLINGS));
        long delay = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        links.loop.schedule(this::retry, delay, TimeUnit.MILLISECONDS);
    }

    private void retry() {
        retrying = false;
        connect();
    }

    private void noteState(String problem) {
        boolean connected = channelForRequests() != null;
        if (!connected) {
            bootId = null;
            if (!links.isClosing()) {
                links.log.warn(id.name(), problem);
            }
        }
        boolean lost = state.connected() && !connected;
        state = new PeerState(id, connected, connected ? null : problem);
        if (lost && !links.isClosing()) {
            links.receiver().unreachable(id);
        }
    }

    /** Where another process with this peer's id is connected from; null when there is none. */
    @Nullable
    String addressOfAnother(Incarnation peerBootId) {
        Channel channel = channelForAnswers();
        return channel == null || peerBootId.equals(bootId) ? null : String.valueOf(channel.remoteAddress());
    }

    @Nullable
    Channel channelForRequests() {
        return first(made, taken);
    }

    @Nullable
    Channel channelForAnswers() {
        return first(taken, made);
    }

    private static @Nullable Channel first(@Nullable Connection preferred, @Nullable Connection other) {
        if (preferred != null && preferred.isReady()) {
            return preferred.channel();
        }
        return other != null && other.isReady() ? other.channel() : null;
    }

    private String lost() {
        return "lost the connection with peer '%s' at %s; trying again".formatted(id, configured());
    }

    private String configured() {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Netty repeats the address in the message; the part before it says what happened. */
    private static String reason(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        int end = text.indexOf(": ");
        return end > 0 ? text.substring(0, end) : text;
    }

    void addOpenChannels(Set<Channel> open) {
        if (made != null) {
            open.add(made.channel());
        }
        if (taken != null) {
            open.add(taken.channel());
        }
    }

    NodeId id() {
        return id;
    }
}
