package io.paxoslease.transport.netty;

import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a member, each with the one connection that it made. A member connects to no client, and forgets one that is gone. On the
 * event loop, save {@link #counts()}.
 */
final class ClientLinks {

    private static final int MOST_APPLICATIONS = 100;
    private static final String OTHER = "other";
    private static final String UNKNOWN = "unknown";
    private static final long BETWEEN_LINES_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int SHRINK_ABOVE = 1_024;
    /** So many may come back in a second, without TLS and with it. */
    private static final long CLIENTS_A_SECOND = 2_000;

    private static final long CLIENTS_A_SECOND_WITH_TLS = 500;
    /** Less is no spread. */
    private static final int LEAST_SPREAD_MILLIS = 500;

    private final TransportContext transport;
    private final ClientLimits limits;
    private final @Nullable String refused;
    private Map<NodeId, Client> clients = new HashMap<>();
    /** How many there are of each address, and with each certificate. */
    private final Map<String, Integer> bySource = new HashMap<>();

    private int peak;
    private final AtomicInteger connected = new AtomicInteger();
    private final Map<String, Integer> byApplication = new ConcurrentSkipListMap<>();
    private int told;
    private long toldAtNanos;

    /** @param certificate null without TLS */
    private record Client(
            InboundConnection connection,
            Hello hello,
            String application,
            String address,
            @Nullable ClientCertificate certificate) {

        boolean isNamed() {
            return certificate != null && certificate.namesIt();
        }
    }

    /**
     * @param limits how many are admitted at most
     * @param refused why none is, for a sentence; null when some are
     */
    ClientLinks(TransportContext transport, ClientLimits limits, @Nullable String refused) {
        this.transport = transport;
        this.limits = limits;
        this.refused = refused;
        this.toldAtNanos = transport.loop.ticker().nanoTime() - BETWEEN_LINES_NANOS;
    }

    /** Why no client may take part; null when some may. */
    @Nullable
    Rejection refusalOfAll(@Nullable TlsSetup tls) {
        if (refused != null) {
            return new Rejection(ConnectionRefusal.CLIENTS_REFUSED, refused);
        }
        return tls == null || tls.verifiesNodeIds()
                ? null
                : new Rejection(
                        ConnectionRefusal.CLIENTS_REFUSED,
                        "this member does not check that certificates name their nodes, so a client could pose as a"
                                + " member: turn verifyNodeId on, on every node");
    }

    /** Why the client may not take part, besides what it runs; null when it may. */
    @Nullable
    Rejection judge(InboundConnection connection, Hello hello) {
        Rejection ofAll = refusalOfAll(connection.tls);
        if (ofAll != null) {
            return ofAll;
        }
        ClientCertificate certificate = connection.clientCertificate(hello.from());
        if (certificate != null && certificate.mismatch() != null) {
            return certificate.mismatch();
        }
        Client same = clients.get(hello.from());
        if (same != null && !same.hello().bootId().equals(hello.bootId())) {
            return judgeSecond(hello, certificate, same);
        }
        if (same != null) {
            return null;
        }
        if (clients.size() >= limits.most()) {
            return busy("this member has %d clients, as many as it admits (maxClients)".formatted(limits.most()));
        }
        String address = Sockets.source(connection.channel());
        if (isFull(address)) {
            return busy(
                    "this member has %d clients from %s, as many as it admits from one address (maxClientsPerSource)"
                            .formatted(limits.mostPerSource(), address));
        }
        return certificate != null && isFull(certificate.fingerprint())
                ? busy(
                        "this member has %d clients with the certificate that it shows, as many as it admits with one (maxClientsPerSource)"
                                .formatted(limits.mostPerSource()))
                : null;
    }

    /**
     * Another process under the id of a connected client. Its certificate may name the client, and that of the connected one not: then that
     * one goes.
     */
    private @Nullable Rejection judgeSecond(Hello hello, @Nullable ClientCertificate certificate, Client first) {
        boolean isNamed = certificate != null && certificate.namesIt();
        if (isNamed && !first.isNamed()) {
            return null;
        }
        if (isNamed || !first.isNamed()) {
            first.connection().liveness.closeUnlessAnswered(); // so that one that crashed is back soon
        }
        return new Rejection(
                ConnectionRefusal.DUPLICATE_NODE,
                "client '%s' is connected already, from %s: give every process an id of its own, or none"
                        .formatted(
                                hello.from(), Sockets.address(first.connection().channel())));
    }

    private static Rejection busy(String why) {
        return new Rejection(ConnectionRefusal.BUSY, why + ": it is tried again");
    }

    private boolean isFull(String source) {
        return bySource.getOrDefault(source, 0) >= limits.mostPerSource();
    }

    void admit(InboundConnection connection, Hello hello) {
        Client before = clients.remove(hello.from());
        if (before != null) {
            count(before, -1);
            giveWay(before, connection, hello);
        }
        Client client = new Client(
                connection,
                hello,
                counted(hello.application()),
                Sockets.source(connection.channel()),
                connection.clientCertificate(hello.from()));
        clients.put(hello.from(), client);
        peak = Math.max(peak, clients.size());
        count(client, 1);
        transport.log.plain.debug("Client '{}' is connected from {}", hello.from(), Printable.name(connection.host()));
    }

    /** To the same process, which noticed first that its connection is dead, or to one whose certificate names it. */
    private void giveWay(Client before, InboundConnection after, Hello hello) {
        if (before.hello().bootId().equals(hello.bootId())) {
            before.connection().replaceAndClose();
            return;
        }
        before.connection().replace();
        before.connection()
                .giveUp(
                        ConnectionRefusal.DUPLICATE_NODE,
                        "client '%s' is connected from %s, with a certificate that names it: give this one another id, or none"
                                .formatted(hello.from(), Sockets.address(after.channel())));
        transport.clientGone(hello.from());
    }

    private String counted(String application) {
        String name = application.isEmpty() ? UNKNOWN : application;
        return byApplication.containsKey(name) || byApplication.size() < MOST_APPLICATIONS ? name : OTHER;
    }

    private void count(Client client, int more) {
        byApplication.merge(client.application(), more, ClientLinks::sum);
        bySource.merge(client.address(), more, ClientLinks::sum);
        if (client.certificate() != null) {
            bySource.merge(client.certificate().fingerprint(), more, ClientLinks::sum);
        }
        connected.addAndGet(more); // last: with this number the others are complete
    }

    /** Null: there are none, and no entry. */
    private static @Nullable Integer sum(int before, int more) {
        return before + more == 0 ? null : before + more;
    }

    void closed(Connection connection, NodeId id) {
        Client client = clients.get(id);
        if (client == null || client.connection() != connection) {
            return;
        }
        clients.remove(id);
        count(client, -1);
        if (peak > SHRINK_ABOVE && clients.size() < peak / 4) { // a map never gives its table back
            clients = new HashMap<>(clients);
            peak = clients.size();
        }
        if (!transport.isClosing()) {
            transport.log.plain.debug("Client '{}' is gone", id);
            transport.clientGone(id);
        }
    }

    /**
     * A member of that id is connected. The client has to go that is connected under it: what it does with leases would be taken for what the
     * member does with its own.
     */
    void giveWay(NodeId member) {
        transport.admission.hasGivenWay(member);
        Client client = clients.remove(member);
        if (client != null) {
            count(client, -1);
            client.connection().replace();
            client.connection()
                    .giveUp(ConnectionRefusal.DUPLICATE_NODE, ofMember(member).text());
        }
    }

    static Rejection ofMember(NodeId id) {
        return new Rejection(
                ConnectionRefusal.DUPLICATE_NODE,
                "'%s' is the id of a member that is connected: give the client another, or none".formatted(id));
    }

    /** Of the processes that are connected under these ids. */
    Map<NodeId, Incarnation> bootIds(Collection<NodeId> ids) {
        Map<NodeId, Incarnation> all = new HashMap<>();
        for (NodeId id : ids) {
            Client client = clients.get(id);
            if (client != null) {
                all.put(id, client.hello().bootId());
            }
        }
        return all;
    }

    void forEachConnection(Consumer<Connection> code) {
        clients.values().forEach(each -> code.accept(each.connection()));
    }

    /** Empty: it is not connected. */
    String sourceOf(NodeId id) {
        Client client = clients.get(id);
        if (client == null) {
            return "";
        }
        return client.certificate() == null
                ? client.address()
                : client.certificate().fingerprint();
    }

    void send(NodeId to, List<Message> messages) {
        Client client = clients.get(to);
        if (client != null) {
            PeerLinks.write(client.connection(), messages);
        }
    }

    /** Over how long they shall come back, if this member restarts. */
    int spreadMillis() {
        long rate = transport.security.tls() == null ? CLIENTS_A_SECOND : CLIENTS_A_SECOND_WITH_TLS;
        int millis = (int) (clients.size() * 1_000L / rate);
        return millis < LEAST_SPREAD_MILLIS ? 0 : millis;
    }

    /** Once a second: tells them when to come back if that has changed, and says at most once a minute how many there are. */
    void tick() {
        int spread = spreadMillis();
        clients.values().forEach(each -> each.connection().tellSpread(spread));
        long now = transport.loop.ticker().nanoTime();
        if (clients.size() != told && now - toldAtNanos >= BETWEEN_LINES_NANOS) {
            told = clients.size();
            toldAtNanos = now;
            transport.log.plain.info("{} clients are connected: {}", told, Printable.line(byApplication));
        }
    }

    /** Any thread. */
    ClientCounts counts() {
        return new ClientCounts(connected.get(), limits.most(), byApplication);
    }
}
