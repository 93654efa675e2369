package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The connections between this node and one peer, in both directions. It redials the outbound one whenever that is lost. */
final class PeerLink {

    private static final long RETIRE_MILLIS = 1_000;
    /** As TCP smoothes its own. */
    private static final int SMOOTHING = 8;

    final TransportContext transport;
    final NodeId id;
    final Dialer dialer;

    @Nullable
    Connection outbound;

    @Nullable
    Connection inbound;

    private @Nullable Incarnation bootId;
    /** The process that was connected last, and when it was met first. */
    private @Nullable Incarnation met;

    private volatile long metAtNanos;
    /** To take the place of {@link #outbound} once it is ready. */
    @Nullable
    Connection successor;

    /** Others have their places. They close soon. */
    final Set<Connection> retiring = new HashSet<>();

    /** For how long old connections have not been replaced after a TLS reload. */
    private int staleSeconds;
    /** The peer is no member any more. */
    private boolean gone;

    private final PeerOutage outage;
    private volatile PeerState state;

    PeerLink(TransportContext transport, NodeId id, InetSocketAddress address) {
        this.transport = transport;
        this.id = id;
        this.dialer = new Dialer(transport, this, address);
        this.outage = new PeerOutage(transport.log.plain, id.name(), transport.loop.ticker()::nanoTime);
        this.state = disconnected(null, null);
    }

    PeerState state() {
        return state;
    }

    /** The same, with how long its process has been known. Any thread. */
    PeerState shown() {
        PeerState now = state;
        return now.connected() ? now.knownFor(transport.loop.ticker().nanoTime() - metAtNanos) : now;
    }

    private void meet(Incarnation itsBootId) {
        bootId = itsBootId;
        if (!itsBootId.equals(met)) {
            met = itsBootId;
            metAtNanos = transport.loop.ticker().nanoTime();
        }
    }

    /** Makes a connection, unless that is done or under way. */
    void connect() {
        if (!gone && !transport.isClosing() && outbound == null) {
            dialer.dial();
        }
    }

    /** A connection that this node makes is up to the handshake: the only one, or to take the other's place. */
    void outboundOpened(Connection connection) {
        if (gone) {
            connection.replaceAndClose();
        } else if (outbound == null) {
            outbound = connection;
        } else {
            successor = connection;
        }
    }

    void dialFailed(String problem) {
        if (outbound == null) {
            failed(problem, null);
        }
    }

    void outboundReady(Connection connection, Hello peer) {
        if (gone) {
            connection.replaceAndClose();
            return;
        }
        dialer.connected();
        transport.log.well(asCalled());
        if (successor == connection) {
            retire(outbound, connection);
            outbound = connection;
            successor = null;
        }
        ready(peer);
        transport.boots.told(id, peer.bootId()); // its answer to what it was told
    }

    void inboundReady(Connection connection, Hello peer) {
        retire(inbound, connection);
        inbound = connection;
        ready(peer);
        dialer.connected();
        connect();
    }

    /** Another one of the same process has its place. What is on its way over it may still arrive, as long as that process is connected. */
    private void retire(@Nullable Connection connection, Connection after) {
        if (connection == null) {
            return;
        }
        after.releases.takeOver(connection.releases);
        if (connection.tls == null) {
            connection.replaceAndClose();
            return;
        }
        retiring.add(connection);
        transport.loop.schedule(
                transport.guarded(() -> {
                    retiring.remove(connection);
                    connection.replaceAndClose();
                }),
                RETIRE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Once a second. */
    void tick(long graceSeconds) {
        if (outbound != null && !transport.identity.isClient()) { // a client pings when nothing was heard for long
            outbound.liveness.ping();
        }
        if (inbound != null) {
            inbound.liveness.ping();
        }
        staleSeconds = isStale(outbound) || isStale(inbound) ? staleSeconds + 1 : 0;
        if (staleSeconds > graceSeconds) { // no new ones have taken their place for so long
            staleSeconds = 0;
            transport.log.warn(
                    id.name(),
                    null,
                    "could not reconnect to peer '%s' after the TLS reload: its old connections end".formatted(id));
            Stream.of(outbound, inbound).filter(this::isStale).forEach(Connection::close);
        }
    }

    /** Replaces connections from before the TLS reload: first the outbound one, then the inbound one. */
    void renew() {
        if (isStale(outbound)) {
            if (successor == null) { // else one is under way, which may take longer than this comes round
                dialer.dial();
            }
        } else if (inbound != null && isStale(inbound) && outbound != null && outbound.isReady()) {
            inbound.close(); // the peer makes it again; the other stands in meanwhile
        }
    }

    /** Whether it was made with another set-up than that of now. */
    boolean isStale(@Nullable Connection connection) {
        return connection != null && connection.isReady() && connection.tls != transport.security.tls();
    }

    void answered(long nanos) {
        if (state.connected()) {
            long before = state.roundTripNanos();
            long smoothed = before < 0 ? nanos : before + (nanos - before) / SMOOTHING;
            state = connected(smoothed);
        }
    }

    private PeerState connected(long roundTripNanos) {
        return new PeerState(id, true, null, null, roundTripNanos, dialer.address, 0);
    }

    private PeerState disconnected(@Nullable String problem, @Nullable ConnectionRefusal refusal) {
        return new PeerState(id, false, problem, refusal, PeerState.UNKNOWN, dialer.address, PeerState.UNKNOWN);
    }

    /** The peer made that connection before this node knew where to call it. */
    void adopt(Connection connection, Incarnation itsBootId) {
        inbound = connection;
        meet(itsBootId);
        state = connected(PeerState.UNKNOWN);
    }

    /**
     * The peer is no longer a member and is not called again.
     *
     * @return the connection that it made, which goes on, as it may still ask; null when there is none
     */
    @Nullable
    Connection detach() {
        gone = true;
        Stream.of(outbound, successor).filter(Objects::nonNull).forEach(Connection::replaceAndClose);
        retiring.forEach(Connection::replace);
        return inbound != null && inbound.isReady() ? inbound : null;
    }

    /** Drawn by the peer's process; of a peer that is connected. */
    Incarnation bootId() {
        return Objects.requireNonNull(bootId, "not connected");
    }

    private void ready(Hello peer) {
        meet(peer.bootId());
        transport.log.well(id.name());
        outage.ends();
        if (!state.connected()) {
            transport.log.plain.info("Connected to peer '{}' at {}", id, configured());
        }
        state = connected(state.roundTripNanos());
        transport.introduced(peer);
    }

    /** @param refusal why the connection came to nothing; null when it was lost */
    void outboundClosed(Connection connection, @Nullable String problem, @Nullable ConnectionRefusal refusal) {
        if (gone) {
            return;
        }
        if (outbound == connection) {
            outbound = successor;
            successor = null;
            failed(problem == null ? lost() : problem, refusal);
            standIn(connection);
        } else if (successor == connection) {
            successor = null;
        }
    }

    void inboundClosed(Connection connection) {
        if (inbound == connection) {
            inbound = null;
            noteState(lost(), null);
            standIn(connection);
        }
    }

    /** The other connection with the same process sends what that one, which is lost, has left. */
    private void standIn(Connection lost) {
        Connection other = forRequests();
        if (other != null) {
            other.releases.takeOver(lost.releases);
        }
    }

    private void failed(String problem, @Nullable ConnectionRefusal refusal) {
        if (gone) {
            return;
        }
        noteState(problem, refusal);
        dialer.retryLater(refusal);
    }

    /** A refusal has been logged where it was found. */
    private void noteState(String problem, @Nullable ConnectionRefusal refusal) {
        boolean connected = channelForRequests() != null;
        boolean lost = state.connected() && !connected;
        if (!connected) {
            bootId = null;
            retiring.forEach(Connection::replace); // the next process of that id may come
            if (refusal == null && !transport.isClosing()) {
                outage.goesOn(lost ? lost() : problem); // whichever of the two connections ends first, and of what
            }
        }
        state = connected
                ? connected(state.roundTripNanos())
                : disconnected(transport.isClosing() ? "this node closed its connections" : problem, refusal);
        if (lost && !transport.isClosing()) {
            transport.gone(id);
        }
    }

    /** Refuses another process with this peer's id; null when there is none. */
    @Nullable
    Rejection judge(Hello hello) {
        Channel other = channelOf(forAnswers());
        return other == null || hello.bootId().equals(bootId) ? null : duplicate(id, other);
    }

    static Rejection duplicate(NodeId id, Channel other) {
        return new Rejection(
                ConnectionRefusal.DUPLICATE_NODE,
                "'%s' is connected already, from %s: give every process a node id of its own"
                        .formatted(id, Sockets.address(other)));
    }

    /** The same for one that was told at that time which process this node has met last: if it was another since, it is told first. */
    @Nullable
    Rejection judge(Hello hello, long introducedAt) {
        Rejection rejection = judge(hello);
        return rejection == null && transport.boots.hasMetAnother(id, hello.bootId(), introducedAt)
                ? new Rejection(
                        ConnectionRefusal.DUPLICATE_NODE,
                        "another process with the id '%s' was connected until now: give every process a node id of its own"
                                .formatted(id))
                : rejection;
    }

    @Nullable
    Channel channelForRequests() {
        return channelOf(forRequests());
    }

    @Nullable
    Connection forRequests() {
        return first(outbound, inbound);
    }

    @Nullable
    Connection forAnswers() {
        return first(inbound, outbound);
    }

    private static @Nullable Channel channelOf(@Nullable Connection connection) {
        return connection == null ? null : connection.channel();
    }

    private static @Nullable Connection first(@Nullable Connection preferred, @Nullable Connection other) {
        if (preferred != null && preferred.isReady()) {
            return preferred;
        }
        return other != null && other.isReady() ? other : null;
    }

    private String lost() {
        return "lost the connection with peer '%s' at %s; trying again".formatted(id, configured());
    }

    String configured() {
        return Printable.address(dialer.address.getHostString(), dialer.address.getPort());
    }

    /** The peer as this node reaches it, which may fail while the peer reaches this node. */
    String asCalled() {
        return id.name() + " as called";
    }
}
