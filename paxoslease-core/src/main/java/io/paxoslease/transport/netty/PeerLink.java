package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections between this node and one peer: the one it made, and the one it accepted. */
final class PeerLink {

    private static final Logger log = LoggerFactory.getLogger(NettyTransport.class);
    private static final long RETIRE_MILLIS = 1_000;
    /** As TCP smoothes its own. */
    private static final int SMOOTHING = 8;

    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LONGEST_RETRY_MILLIS = 1_000;
    private static final int MAX_DOUBLINGS = 5;

    private final Links links;
    private final NodeId id;
    private final InetSocketAddress address;
    private final Dialer dialer;

    private @Nullable Connection made;
    private @Nullable Connection taken;
    private @Nullable Incarnation bootId;
    /** To take the place of {@link #made} once it is ready. */
    private @Nullable Connection successor;

    private int staleSeconds;
    private boolean retrying;
    private int failures;
    private volatile PeerState state;

    PeerLink(Links links, NodeId id, InetSocketAddress address) {
        this.links = links;
        this.id = id;
        this.address = address;
        this.dialer = new Dialer(links, this, address);
        this.state = new PeerState(id, false, null);
    }

    PeerState state() {
        return state;
    }

    /** Makes a connection, unless that is done or under way. */
    void connect() {
        if (!links.isClosing() && made == null) {
            dialer.dial();
        }
    }

    /** A connection that this node makes is up to the handshake: the only one, or to take the other's place. */
    void making(Connection connection) {
        if (made == null) {
            made = connection;
        } else {
            successor = connection;
        }
    }

    void dialFailed(String problem) {
        if (made == null) {
            failed(problem, null);
        }
    }

    void madeReady(Connection connection, Incarnation peerBootId) {
        failures = 0;
        links.log.well(asCalled());
        if (successor == connection) {
            retire(made);
            made = connection;
            successor = null;
        }
        ready(peerBootId);
    }

    void takenReady(Connection connection, Incarnation peerBootId) {
        retire(taken);
        taken = connection;
        ready(peerBootId);
        failures = 0;
        connect();
    }

    /** What is on its way over it may still arrive. */
    private void retire(@Nullable Connection connection) {
        if (connection == null) {
            return;
        }
        if (connection.tls() == null) {
            connection.close();
        } else {
            links.loop.schedule(connection::close, RETIRE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Once a second. */
    void tick() {
        if (made != null) {
            made.ping();
        }
        if (taken != null) {
            taken.ping();
        }
        staleSeconds = isStale(made) || isStale(taken) ? staleSeconds + 1 : 0;
        if (staleSeconds > links.graceSeconds()) {
            staleSeconds = 0;
            log.warn("Peer '{}' could not be connected anew since TLS was set up anew: its old connections end", id);
            end(made);
            end(taken);
        }
    }

    /** The peer is told of a node that runs another configuration. */
    void tellOf(Hello other) {
        Channel channel = channelForRequests();
        if (channel != null && channel.isWritable()) {
            ByteBuf out = channel.alloc().ioBuffer();
            Frames.writeHello(out, Frames.OTHER, other);
            channel.writeAndFlush(out, channel.voidPromise());
        }
    }

    private void end(@Nullable Connection connection) {
        if (connection != null && isStale(connection)) {
            connection.close();
        }
    }

    /** Replaces what was made before TLS was set up anew: first what this node made, then what the peer did. */
    void renew() {
        if (isStale(made)) {
            if (successor == null) { // else one is under way, which may take longer than this comes round
                dialer.dial();
            }
        } else if (isStale(taken) && made != null && made.isReady()) {
            Objects.requireNonNull(taken).close(); // the peer makes it again; the other stands in meanwhile
        }
    }

    /** Whether both connections are there, made with the set-up of now. */
    boolean isUpToDate() {
        return made != null
                && taken != null
                && made.isReady()
                && taken.isReady()
                && !isStale(made)
                && !isStale(taken)
                && successor == null;
    }

    private boolean isStale(@Nullable Connection connection) {
        return connection != null && connection.isReady() && connection.tls() != links.security.tls();
    }

    void answered(long nanos) {
        if (state.connected()) {
            long before = state.roundTripNanos();
            long smoothed = before < 0 ? nanos : before + (nanos - before) / SMOOTHING;
            state = new PeerState(id, true, null, null, smoothed);
        }
    }

    private void ready(Incarnation peerBootId) {
        bootId = peerBootId;
        links.log.well(id.name());
        if (!state.connected()) {
            log.info("Connected to peer '{}' at {}", id, configured());
        }
        state = new PeerState(id, true, null, null, state.roundTripNanos());
        links.receiver().reachable(id);
    }

    /** @param refusal why the connection came to nothing; null when it was lost */
    void madeClosed(Connection connection, @Nullable String problem, @Nullable ConnectionRefusal refusal) {
        if (made == connection) {
            made = successor;
            successor = null;
            failed(problem == null ? lost() : problem, refusal);
        } else if (successor == connection) {
            successor = null;
        }
    }

    void takenClosed(Connection connection) {
        if (taken == connection) {
            taken = null;
            noteState(id.name(), lost(), null);
        }
    }

    private void failed(String problem, @Nullable ConnectionRefusal refusal) {
        noteState(asCalled(), problem, refusal);
        if (links.isClosing() || retrying) {
            return;
        }
        long longest = Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures++, MAX_DOUBLINGS));
        long delay = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        links.loop.schedule(this::retry, delay, TimeUnit.MILLISECONDS);
        retrying = true;
    }

    private void retry() {
        retrying = false;
        connect();
    }

    private void noteState(String subject, String problem, @Nullable ConnectionRefusal refusal) {
        boolean connected = channelForRequests() != null;
        if (!connected) {
            bootId = null;
            if (!links.isClosing()) {
                links.log.warn(subject, refusal, problem);
            }
        }
        boolean lost = state.connected() && !connected;
        state = connected
                ? new PeerState(id, true, null, null, state.roundTripNanos())
                : new PeerState(
                        id,
                        false,
                        links.isClosing() ? "this node closed its connections" : problem,
                        refusal,
                        PeerState.UNKNOWN);
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

    String configured() {
        return address.getHostString() + ":" + address.getPort();
    }

    /** The peer as this node reaches it, which may fail while the peer reaches this node. */
    String asCalled() {
        return id.name() + " as called";
    }

    NodeId id() {
        return id;
    }

    /** As configured: what the peer's certificate must be made out to. */
    String host() {
        return address.getHostString();
    }
}
