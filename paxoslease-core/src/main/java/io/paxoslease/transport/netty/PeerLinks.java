package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.ClientRequests;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node's links to all other members. Everything happens on its event loop, save {@link #states()}. */
final class PeerLinks {

    private static final int TICK_SECONDS = 1;
    /** So much may wait on a connection besides what it takes as long as the other end keeps up. */
    private static final long MOST_OF_RENEWALS = 1 << 20;

    private final TransportContext transport;
    private final Map<NodeId, PeerLink> links = new LinkedHashMap<>();
    private final UnlistedMembers unlisted;
    final ClientLinks clients;
    final MemberChanges changes;
    private volatile List<PeerLink> shown;
    private int ticks;

    PeerLinks(TransportContext transport, Map<NodeId, InetSocketAddress> others, ClientLinks clients) {
        this.transport = transport;
        this.clients = clients;
        this.unlisted = new UnlistedMembers(transport);
        others.forEach((id, address) -> links.put(id, new PeerLink(transport, id, address)));
        this.shown = List.copyOf(links.values());
        this.changes = new MemberChanges(transport, this);
        transport.changes(changes);
    }

    void connectAll() {
        links.values().forEach(PeerLink::connect);
        transport.loop.scheduleAtFixedRate(transport.guarded(this::tick), TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
    }

    /** One peer's connections a second are brought up to the TLS set-up of now. */
    private void tick() {
        if (transport.isClosing()) {
            return;
        }
        List<PeerLink> all = List.copyOf(links.values());
        hurryWithoutMajority(all);
        List<Hello> met = transport.takeMet();
        long graceSeconds = Math.max(
                transport.security.grace().toSeconds(), 3L * TICK_SECONDS * all.size()); // every peer has its turns
        for (PeerLink link : all) {
            guard(link.id, () -> link.tick(graceSeconds));
            guard(link.id, () -> met.forEach(other -> tellOf(link.forRequests(), other)));
        }
        for (NodeId id : unlisted.ids()) {
            guard(id, () -> met.forEach(other -> tellOf(unlisted.connection(id), other)));
        }
        guard(transport.identity.self(), () -> {
            clients.tick();
            changes.tick();
            transport.log.tick();
        });
        if (!all.isEmpty()) {
            PeerLink next = all.get(ticks++ % all.size());
            guard(next.id, next::renew);
        }
    }

    private void hurryWithoutMajority(List<PeerLink> all) {
        Set<NodeId> connected = all.stream()
                .filter(each -> each.state().connected())
                .map(each -> each.id)
                .collect(Collectors.toSet());
        transport.urgent = transport.identity.isClient()
                && !decide(transport.identity.config().generation(), connected);
        if (transport.urgent) {
            all.forEach(each -> guard(each.id, each.dialer::dialNow));
        }
    }

    /** Whether they are majorities of both lists: before the seal nothing is granted with less. */
    static boolean decide(Generation generation, Set<NodeId> connected) {
        MemberList previous = generation.previous();
        return isMajority(connected, generation.current()) && (previous == null || isMajority(connected, previous));
    }

    private static boolean isMajority(Set<NodeId> connected, MemberList list) {
        long reached = list.members().stream().filter(connected::contains).count();
        return 2 * reached > list.members().size();
    }

    /** That node is told of one that runs another configuration. */
    private static void tellOf(@Nullable Connection connection, Hello other) {
        if (connection != null && connection.isReady()) {
            Hello passedOn = other.in(connection.transport.identity.versions());
            connection.sendIfWritable(out -> Frames.writeHello(out, Frames.OTHER, passedOn));
        }
    }

    /** A fault with one peer, such as no memory for a ping, must not end the ticks for all. */
    private void guard(NodeId peer, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            transport.log.warn(
                    peer.name(),
                    ConnectionRefusal.FAULT,
                    "the connection with peer '%s' could not be looked after (%s); trying again"
                            .formatted(peer, failure));
        }
    }

    /** How many this node calls. */
    int size() {
        return shown.size();
    }

    /** These as well from now on. Their addresses are known. */
    void call(Collection<NodeId> members) {
        int spread = links.values().stream()
                .mapToInt(each -> each.dialer.spreadMillis())
                .max()
                .orElse(0);
        List<NodeId> added = new ArrayList<>();
        for (NodeId id : members) {
            InetSocketAddress address = transport.addresses.of(id);
            if (address != null && !links.containsKey(id) && !id.equals(transport.identity.self())) {
                PeerLink link = new PeerLink(transport, id, address);
                links.put(id, link);
                unlisted.handOver(id, link);
                link.dialer.dialWithin(spread);
                added.add(id);
            }
        }
        shown = List.copyOf(links.values());
        added.forEach(transport.receiver()::added);
    }

    /** The others are called no more. What they ask over connections that they made is answered. */
    void callOnly(Set<NodeId> members) {
        for (PeerLink link : List.copyOf(links.values())) {
            if (!members.contains(link.id)) {
                links.remove(link.id);
                transport.addresses.leaves(link.id);
                detach(link);
            }
        }
        shown = List.copyOf(links.values());
    }

    private void detach(PeerLink link) {
        Connection theirs = link.detach();
        transport.log.plain.info("'{}' is no longer a member and is not called", link.id);
        if (theirs != null) {
            unlisted.adopt(link.id, theirs, link.bootId());
        } else if (link.state().connected()) {
            transport.gone(link.id);
        }
    }

    void forEachConnection(Consumer<Connection> code) {
        for (PeerLink link : links.values()) {
            Stream.of(link.outbound, link.inbound).filter(Objects::nonNull).forEach(code);
        }
        unlisted.ids().forEach(id -> code.accept(Objects.requireNonNull(unlisted.connection(id))));
        clients.forEachConnection(code);
    }

    PeerLink peer(NodeId id) {
        return Objects.requireNonNull(links.get(id), "no such peer");
    }

    /** The link with that member; null when this node has no address of it. */
    @Nullable
    PeerLink find(NodeId id) {
        return links.get(id);
    }

    /** Refuses another process with the id of a member that is connected; null when there is none. */
    @Nullable
    Rejection judge(Hello hello) {
        PeerLink link = links.get(hello.from());
        return link == null ? unlisted.judge(hello) : link.judge(hello);
    }

    boolean isConnected(NodeId member) {
        PeerLink link = links.get(member);
        return unlisted.connection(member) != null
                || (link != null && link.state().connected());
    }

    /** A connection that a member made is ready. */
    void admit(InboundConnection connection, Hello hello) {
        PeerLink link = links.get(hello.from());
        if (link == null) {
            unlisted.admit(connection, hello);
        } else {
            link.inboundReady(connection, hello);
        }
    }

    /** A connection that a member made is gone. */
    void closed(InboundConnection connection, NodeId member) {
        PeerLink link = links.get(member);
        if (link == null) {
            unlisted.closed(connection, member);
        } else {
            link.inboundClosed(connection);
        }
    }

    /** Answers that leave together with requests take their way: one packet less, and one less to read for the peer. */
    void send(NodeId to, List<Message> messages) {
        PeerLink link = links.get(to);
        Connection connection = unlisted.connection(to);
        if (link != null && link.forAnswers() != null) {
            Connection forRequests = asks(messages) ? link.forRequests() : null;
            boolean takesThem = forRequests != null && forRequests.channel().isWritable();
            write(takesThem ? forRequests : link.forAnswers(), messages);
        } else if (connection != null) {
            write(connection, messages);
        } else {
            clients.send(to, messages);
        }
    }

    /** How much members are not known to have read of what they were sent, in no unit. Nothing where no lease was released. */
    long unread() {
        LongAdder sum = new LongAdder();
        forEachConnection(each -> sum.add(unreadBy(each)));
        links.values().forEach(link -> link.retiring.forEach(each -> sum.add(unreadBy(each))));
        return sum.sum();
    }

    static long unreadBy(Connection connection) {
        boolean isOfClient = connection.liveness.reading() != null;
        if (isOfClient || !connection.releases.wereSent() || !connection.isReady()) {
            return 0;
        }
        long unsent = connection.releases.unsent();
        return unsent == 0 && connection.liveness.hasReadAll() ? 0 : 1 + unsent + connection.liveness.unanswered();
    }

    private static boolean asks(List<Message> messages) {
        for (Message message : messages) {
            if (ClientRequests.contains(message)) {
                return true;
            }
        }
        return false;
    }

    static void write(@Nullable Connection connection, List<Message> messages) {
        if (connection == null || !connection.isReady()) {
            return;
        }
        Channel channel = connection.channel();
        connection.releases.look(messages);
        boolean dropsTheRest = connection.transport.identity.isClient();
        if (!channel.isWritable()) {
            messages = urgent(connection, messages);
            dropsTheRest = false;
        }
        int next = 0;
        while (next < messages.size()) {
            ByteBuf frame = channel.alloc().ioBuffer();
            next = Frames.writeMessages(frame, messages, next, connection.transport.identity.others());
            if (next < messages.size()) {
                connection.liveness.addPing(frame);
            }
            channel.write(frame, channel.voidPromise());
            if (dropsTheRest && !channel.isWritable() && !channel.flush().isWritable()) {
                messages = urgent(connection, messages.subList(next, messages.size()));
                dropsTheRest = false;
                next = 0;
            }
        }
        channel.flush();
        connection.releases.send();
        ClientReading reading = connection.liveness.reading();
        if (reading != null) {
            reading.checkKept();
        }
    }

    /**
     * What a client still sends at once to a member that reads it slowly, as it asks too much: no lease that it holds must be lost for that.
     * Releases wait. What it asks for besides is dropped, and asked again later, as is all else that a member has to say.
     */
    private static List<Message> urgent(Connection connection, List<Message> messages) {
        connection.releases.await(messages);
        boolean isFull = connection.channel().bytesBeforeWritable() > MOST_OF_RENEWALS;
        return isFull || !connection.transport.identity.isClient()
                ? List.of()
                : messages.stream().filter(PeerLinks::renews).toList();
    }

    private static boolean renews(Message message) {
        Message request = message instanceof PaxosMessage.InMode inMode ? inMode.request() : message;
        return request instanceof PaxosMessage.Extend
                || (request instanceof PaxosMessage.Propose propose && propose.enqueuedCounter() == 0);
    }

    /** Any thread. */
    List<PeerState> states() {
        return shown.stream().map(PeerLink::shown).toList();
    }
}
