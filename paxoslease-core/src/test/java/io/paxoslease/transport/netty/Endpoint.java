package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.Eventually;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A transport under test and what it received. */
final class Endpoint implements Transport.Receiver, AutoCloseable {

    static final Duration M = Duration.ofSeconds(1);
    static final UnaryOperator<InetSocketAddress> BY_THE_JDK =
            address -> new InetSocketAddress(address.getHostString(), address.getPort());

    private static final AtomicLong boots = new AtomicLong();

    final NettyTransport transport;
    final Security security;
    final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    final BlockingQueue<NodeId> reachable = new LinkedBlockingQueue<>();

    final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    final BlockingQueue<NodeId> unreachable = new LinkedBlockingQueue<>();
    /** Which other configurations it heard of: the node, its members and what differs. */
    final BlockingQueue<String> others = new LinkedBlockingQueue<>();

    /** Which generations it was told of. */
    final BlockingQueue<Event.GenerationMet> generations = new LinkedBlockingQueue<>();

    /** Which members have met another process with its id, and how long ago. */
    final BlockingQueue<Event.OtherLife> otherLives = new LinkedBlockingQueue<>();

    volatile boolean serves = true;
    private boolean closed;

    record Arrival(NodeId from, Message message) {}

    private Endpoint(NettyTransport transport, Security security) throws IOException {
        this.security = security;
        this.transport = transport;
        transport.start(this);
    }

    /** What its loop has begun, or has been given by now, is done. */
    Endpoint settle() throws Exception {
        transport.loop().submit(() -> {}).get();
        return this;
    }

    /** In one batch, as a node does that stops. */
    void sendReleases(String to, int count) {
        List<Message> all = IntStream.range(0, count)
                .<Message>mapToObj(
                        i -> new PaxosMessage.Release("resource-number-" + i, transport.context.identity.bootId(), i))
                .toList();
        transport.loop().execute(() -> transport.send(new NodeId(to), all));
    }

    /** Whether both connections are there, made with the set-up of now. */
    private boolean isUpToDate(String peer) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            PeerLink link = transport.links.peer(new NodeId(peer));
                            return link.successor == null
                                    && isUpToDate(link, link.outbound)
                                    && isUpToDate(link, link.inbound);
                        },
                        transport.loop())
                .join();
    }

    private static boolean isUpToDate(PeerLink link, @Nullable Connection connection) {
        return connection != null && connection.isReady() && !link.isStale(connection);
    }

    static Endpoint start(CellConfig config, String self, Map<String, Integer> ports) throws IOException {
        return start(config, self, ports, BY_THE_JDK);
    }

    static Endpoint start(
            CellConfig config, String self, Map<String, Integer> ports, UnaryOperator<InetSocketAddress> resolver)
            throws IOException {
        return start(config, self, ports, "127.0.0.1", resolver, new Security(null));
    }

    static Endpoint start(CellConfig config, String self, Map<String, Integer> ports, @Nullable TlsSetup tls)
            throws IOException {
        return start(config, self, ports, "127.0.0.1", BY_THE_JDK, new Security(tls));
    }

    /** @param host what every member's address names; it listens on the loopback address all the same */
    static Endpoint start(
            CellConfig config,
            String self,
            Map<String, Integer> ports,
            String host,
            UnaryOperator<InetSocketAddress> resolver,
            Security security)
            throws IOException {
        return start(config, self, ports, host, resolver, security, Versions.OURS, ClientLimits.NONE);
    }

    /** A node of the release that speaks those versions. */
    static Endpoint start(CellConfig config, String self, Map<String, Integer> ports, Versions versions)
            throws IOException {
        return start(config, self, ports, "127.0.0.1", BY_THE_JDK, new Security(null), versions, ClientLimits.NONE);
    }

    private static Endpoint start(
            CellConfig config,
            String self,
            Map<String, Integer> ports,
            String host,
            UnaryOperator<InetSocketAddress> resolver,
            Security security,
            Versions versions,
            ClientLimits limits)
            throws IOException {
        Map<NodeId, InetSocketAddress> peers = new LinkedHashMap<>();
        ports.forEach((id, port) -> peers.put(new NodeId(id), InetSocketAddress.createUnresolved(host, port)));
        return new Endpoint(
                NettyTransport.ofMember(
                        new Identity(config, new NodeId(self), newBootId(), versions, MessageTypes.NONE),
                        peers,
                        "127.0.0.1",
                        resolver,
                        security,
                        limits),
                security);
    }

    /** A client of those members. */
    static Endpoint client(CellConfig config, String self, Map<String, Integer> ports, String application)
            throws IOException {
        return client(config, self, ports, application, null);
    }

    static Endpoint client(
            CellConfig config, String self, Map<String, Integer> ports, String application, @Nullable TlsSetup tls)
            throws IOException {
        Map<NodeId, InetSocketAddress> members = new LinkedHashMap<>();
        ports.forEach((id, port) -> members.put(new NodeId(id), InetSocketAddress.createUnresolved("127.0.0.1", port)));
        Security security = new Security(tls);
        return new Endpoint(
                NettyTransport.ofClient(
                        config, new NodeId(self), newBootId(), application, members, BY_THE_JDK, security),
                security);
    }

    static Endpoint start(CellConfig config, String self, Map<String, Integer> ports, int maxClients, Security security)
            throws IOException {
        return start(
                config,
                self,
                ports,
                "127.0.0.1",
                BY_THE_JDK,
                security,
                Versions.OURS,
                new ClientLimits(maxClients, maxClients));
    }

    /** A member that admits so many clients. */
    static Endpoint start(CellConfig config, String self, Map<String, Integer> ports, int maxClients)
            throws IOException {
        return start(
                config,
                self,
                ports,
                "127.0.0.1",
                BY_THE_JDK,
                new Security(null),
                Versions.OURS,
                new ClientLimits(maxClients, maxClients));
    }

    /** A member that admits so many clients, and so many of one source. */
    static Endpoint start(
            CellConfig config, String self, Map<String, Integer> ports, ClientLimits limits, @Nullable TlsSetup tls)
            throws IOException {
        return start(config, self, ports, "127.0.0.1", BY_THE_JDK, new Security(tls), Versions.OURS, limits);
    }

    /** What a text about that setting says of how to change it. */
    static String marks(String setting) {
        return (" (to change them while the cell serves, set on every node generation: 2, %s to the new value"
                        + " and previous%s to the old one)")
                .formatted(setting, setting.substring(0, 1).toUpperCase(Locale.ROOT) + setting.substring(1));
    }

    /** A change of the members of a cell, with one maximum lease time before and after. */
    static CellConfig config(String cell, int generation, String current, String previous) {
        return new CellConfig(cell, new Generation(generation, list(current), list(previous)), null);
    }

    private static MemberList list(String members) {
        return new MemberList(Arrays.stream(members.split(" ")).map(NodeId::new).toList(), M, 0.1);
    }

    static Incarnation newBootId() {
        return new Incarnation(boots.incrementAndGet(), 0);
    }

    static CellConfig config(String cell, String... members) {
        return new CellConfig(cell, Arrays.stream(members).map(NodeId::new).toList(), M, 0.1);
    }

    static Hello hello(CellConfig config, String from, String to) {
        return new Hello(config, new NodeId(from), new NodeId(to), newBootId(), Versions.OURS);
    }

    /** A small request. */
    static Message request(long number) {
        return new PaxosMessage.Prepare("r", new Ballot(number, new Incarnation(1, 2)), number);
    }

    void send(String to, List<Message> messages) {
        transport.loop().execute(() -> transport.send(new NodeId(to), messages));
    }

    void send(String to, Message... messages) {
        send(to, List.of(messages));
    }

    Endpoint awaitConnected(String peer) {
        Eventually.until("connected to " + peer, () -> state(peer).connected());
        return this;
    }

    /** A peer is connected with one of the two already; which of them is told to others may change until both are there. */
    Endpoint awaitBothConnections(String peer) {
        Eventually.until("both connections with " + peer + " are up to date", () -> isUpToDate(peer));
        return this;
    }

    PeerState state(String peer) {
        return transport.peers().stream()
                .filter(state -> state.node().name().equals(peer))
                .findFirst()
                .orElseThrow();
    }

    /** The next message that came in; null when none comes in reasonable time. */
    @Nullable
    Arrival next() throws InterruptedException {
        return arrivals.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        messages.forEach(message -> arrivals.add(new Arrival(from, message)));
    }

    @Override
    public void reachable(NodeId peer) {
        reachable.add(peer);
    }

    @Override
    public void generationSeen(NodeId member, Generation generation, int sealed) {
        generations.add(new Event.GenerationMet(member, generation, sealed));
    }

    @Override
    public void otherConfiguration(NodeId node, CellConfig config, String difference, boolean isSealed) {
        others.add(node + " " + config.members() + (isSealed ? ", sealed: " : ": ") + difference);
    }

    @Override
    public void otherLife(NodeId member, long nanosAgo) {
        otherLives.add(new Event.OtherLife(member, nanosAgo));
    }

    @Override
    public boolean serves() {
        return serves;
    }

    @Override
    public void failed(Throwable fault) {
        faults.add(fault);
    }

    @Override
    public void unreachable(NodeId peer) {
        unreachable.add(peer);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            transport.close();
        }
    }
}
