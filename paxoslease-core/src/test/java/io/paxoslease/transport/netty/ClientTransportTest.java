package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Clients beside the members of a cell. */
@Tag("slow")
@Tag("jdk")
class ClientTransportTest {

    private static final TestCa ca = new TestCa("cell");

    private final int portA = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", FreePorts.next());
    private final CellConfig config = Endpoint.config("cell", "a", "b");

    private static Hello hello(CellConfig config, String from) {
        Hello plain = Endpoint.hello(config, from, "a");
        return new Hello(config, plain.from(), plain.to(), plain.bootId(), Versions.OURS, Hello.Role.CLIENT, "orders");
    }

    private static void introduce(RawConnection connection, Hello hello) throws IOException {
        connection.write(out -> Frames.writeHello(out, Frames.HELLO, hello));
    }

    private static String sourceOf(Endpoint member, String client) throws Exception {
        return member.transport
                .loop()
                .submit(() -> member.transport.sourceOf(new NodeId(client)))
                .get();
    }

    private static void awaitClients(Endpoint member, int count) {
        Eventually.until(count + " clients", () -> member.transport.clients().connected() == count);
    }

    @Test
    void aClientReachesEveryMemberOverTheConnectionsThatItMakes() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                Endpoint b = Endpoint.start(config, "b", ports, 10);
                Endpoint client = Endpoint.client(config, "z", ports, "orders")) {
            client.awaitConnected("a").awaitConnected("b");
            client.send("a", Endpoint.request(1));
            assertThat(Objects.requireNonNull(a.next()))
                    .isEqualTo(new Endpoint.Arrival(new NodeId("z"), Endpoint.request(1)));
            a.send("z", Endpoint.request(2));
            b.send("z", Endpoint.request(3));
            assertThat(Objects.requireNonNull(client.next()).message()).isIn(Endpoint.request(2), Endpoint.request(3));
            assertThat(Objects.requireNonNull(client.next()).message()).isIn(Endpoint.request(2), Endpoint.request(3));
            assertThat(a.transport.clients()).isEqualTo(new ClientCounts(1, 10, Map.of("orders", 1)));
            assertThat(sourceOf(a, "z")).isEqualTo("127.0.0.1");
            assertThat(sourceOf(a, "y")).isEmpty();
            assertThat(a.transport.peers()).extracting(PeerState::node).containsExactly(new NodeId("b"));
        }
    }

    /** More than a member takes from a client at once, and than a connection takes. */
    @Test
    void allReleasesOfAClientThatStopsArrive() throws Exception {
        int count = 20_000;
        try (Endpoint a = Endpoint.start(config, "a", ports, 10)) {
            try (Endpoint client = Endpoint.client(config, "z", ports, "orders")) {
                client.awaitConnected("a");
                client.sendReleases("a", count);
            }
            Eventually.until("all have come", () -> a.arrivals.size() == count);
        }
    }

    /** And than it may have unread. */
    @Test
    void allReleasesOfAMemberThatStopsArrive() throws Exception {
        int count = 100_000;
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            try (Endpoint b = Endpoint.start(config, "b", ports)) {
                b.awaitConnected("a");
                b.sendReleases("a", count);
            }
            Eventually.until("all have come", () -> a.arrivals.size() == count);
        }
    }

    /** Reachability decides which nodes are asked, and clients are asked nothing. */
    @Test
    void aMemberHearsOnlyThatAClientIsGone() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10)) {
            try (Endpoint client = Endpoint.client(config, "z", ports, "")) {
                client.awaitConnected("a");
                assertThat(a.transport.clients().byApplication()).isEqualTo(Map.of("unknown", 1));
            }
            assertThat(a.unreachable.poll(10, TimeUnit.SECONDS)).isEqualTo(new NodeId("z"));
            assertThat(a.reachable).isEmpty();
            assertThat(a.transport.clients()).isEqualTo(new ClientCounts(0, 10, Map.of()));
        }
    }

    /** A thousand clients without TLS come back over half a second. Each is told when that has doubled, and no other frame. */
    @Test
    void clientsAreToldOverHowLongTheyShallComeBack() throws Exception {
        List<RawConnection> crowd = new ArrayList<>();
        try (Endpoint a = Endpoint.start(config, "a", ports, 5_000)) {
            for (int i = 0; i < 1_000; i++) {
                RawConnection connection = RawConnection.to(portA);
                crowd.add(connection);
                introduce(connection, hello(config, "z" + i));
                assertThat(Objects.requireNonNull(connection.read()).type()).isEqualTo(Frames.WELCOME);
            }
            RawConnection.Frame told = Objects.requireNonNull(crowd.get(0).read());
            assertThat(told.type()).isEqualTo(Frames.SPREAD);
            assertThat(Frames.readSpread(told.body())).isEqualTo(500);
            RawConnection.Frame toldAtOnce =
                    Objects.requireNonNull(crowd.get(999).read());
            assertThat(toldAtOnce.type()).isEqualTo(Frames.SPREAD);
            for (RawConnection each : crowd.subList(0, 600)) {
                each.close();
            }
            RawConnection.Frame toldOfFewer =
                    Objects.requireNonNull(crowd.get(999).read());
            assertThat(toldOfFewer.type()).isEqualTo(Frames.SPREAD);
            assertThat(Frames.readSpread(toldOfFewer.body())).isZero();
            awaitClients(a, 400);
        } finally {
            for (RawConnection each : crowd) {
                each.close();
            }
        }
    }

    /** One that was told to take its time does so only while a majority is left: then, the minute that it was told is cut short. */
    @Test
    void aClientWithoutMajorityDialsWithoutRegardToOthers() throws Exception {
        CellConfig three = Endpoint.config("cell", "a", "b", "c");
        Map<String, Integer> at = Map.of("a", portA, "b", FreePorts.next(), "c", FreePorts.next());
        Hello plain = Endpoint.hello(three, "a", "z");
        Endpoint b = Endpoint.start(three, "b", at, 10);
        Endpoint c = Endpoint.start(three, "c", at, 10);
        try (ServerSocket server = RawConnection.listen(portA);
                Endpoint client = Endpoint.client(three, "z", at, "orders")) {
            try (RawConnection first = acceptedFromClient(server)) {
                first.write(out -> Frames.writeHello(out, Frames.WELCOME, plain));
                client.awaitConnected("a").awaitConnected("b").awaitConnected("c");
                first.write(out -> Frames.writeSpread(out, 60_000));
                first.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(3)), 0));
                assertThat(client.next()).as("it has read so far").isNotNull();
            }
            Eventually.until("it has noticed", () -> !client.state("a").connected());
            b.close();
            c.close();
            long lost = System.nanoTime();
            acceptedFromClient(server).close();
            assertThat(System.nanoTime() - lost).isLessThan(TimeUnit.SECONDS.toNanos(8));
        }
    }

    /** The other members dial there, too. */
    private static RawConnection acceptedFromClient(ServerSocket server) throws IOException {
        while (true) {
            RawConnection accepted = RawConnection.acceptedBy(server);
            Frame first = accepted.read();
            if (first != null
                    && first.type() == Frames.HELLO
                    && Frames.readHello(first.body(), Versions.OURS).role() == Hello.Role.CLIENT) {
                return accepted;
            }
            accepted.close();
        }
    }

    @Test
    void aMemberTakesNoSpreadFromAnother() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                RawConnection client = RawConnection.to(portA);
                LogCapture log = LogCapture.of(NettyTransport.class)) {
            introduce(client, hello(config, "z"));
            assertThat(Objects.requireNonNull(client.read()).type()).isEqualTo(Frames.WELCOME);
            client.write(out -> Frames.writeSpread(out, 60_000));
            client.awaitClosed();
            log.await("unknown frame type 10");
            assertThat(a.security.refused(ConnectionRefusal.MALFORMED)).isEqualTo(1);
        }
    }

    /** Its requests beyond a budget wait, and nothing of them is lost. */
    @Test
    void aGreedyClientIsReadSlowlyAndOthersAreHeardMeanwhile() throws Exception {
        int flood = 12_000;
        PaxosMessage.Prepare request =
                new PaxosMessage.Prepare("x".repeat(100), new Ballot(1, new Incarnation(1, 1)), 1);
        List<Message> some = Collections.nCopies(100, request);
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                Endpoint honest = Endpoint.client(config, "z", ports, "");
                RawConnection greedy = RawConnection.to(portA)) {
            honest.awaitConnected("a");
            introduce(greedy, hello(config, "y"));
            Background<Boolean> flooding = Background.start(() -> {
                for (int sent = 0; sent < flood; sent += some.size()) {
                    greedy.write(out -> Frames.writeMessages(out, some, 0));
                }
                return true;
            });
            int fromGreedy = 0;
            boolean honestHeard = false;
            while (fromGreedy < flood) {
                if (fromGreedy == 5_000) {
                    honest.send("a", Endpoint.request(2));
                }
                boolean isGreedy = Objects.requireNonNull(a.next()).from().equals(new NodeId("y"));
                fromGreedy += isGreedy ? 1 : 0;
                honestHeard |= !isGreedy;
                assertThat(honestHeard || fromGreedy < flood - 2_000)
                        .as("others are heard before it has all that it asks for")
                        .isTrue();
            }
            assertThat(flooding.result()).isTrue();
        }
    }

    @Test
    void clientsAreRefusedWhereNoneAreAdmitted() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports, 0);
                Endpoint client = Endpoint.client(config, "z", ports, "")) {
            Eventually.until(
                    "it is refused",
                    () -> client.state("a").problem() != null
                            && Objects.requireNonNull(client.state("a").problem())
                                    .contains("admits no clients"));
            assertThat(client.state("a").refusal()).isEqualTo(ConnectionRefusal.CLIENTS_REFUSED);
            assertThat(a.security.refused(ConnectionRefusal.CLIENTS_REFUSED)).isPositive();
        }
    }

    @Test
    void oneTooManyIsToldAndComesInLater() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports, 1)) {
            Endpoint second;
            try (Endpoint first = Endpoint.client(config, "y", ports, "")) {
                first.awaitConnected("a");
                second = Endpoint.client(config, "z", ports, "");
                Eventually.until(
                        "it is told", () -> String.valueOf(second.state("a").problem())
                                .contains("this member has 1 clients, as many as it admits"));
                assertThat(second.state("a").refusal())
                        .as("so that it is dialled every ten seconds, not every second")
                        .isEqualTo(ConnectionRefusal.BUSY);
                assertThat(a.transport.clients().connected()).isEqualTo(1);
            }
            try (second) {
                second.awaitConnected("a");
            }
        }
    }

    private static Rejection rejection(RawConnection client) throws IOException {
        return Frames.readRejection(
                Objects.requireNonNull(client.read(Frames.REJECT)).body(), Versions.OURS);
    }

    /** Otherwise one machine takes the places of all. */
    @Test
    void oneAddressHasABoundOfItsOwn() throws IOException {
        Hello first = hello(config, "x");
        try (Endpoint a = Endpoint.start(config, "a", ports, new ClientLimits(10, 2), null);
                RawConnection x = RawConnection.to(portA)) {
            introduce(x, first);
            assertThat(x.read(Frames.WELCOME)).isNotNull();
            Rejection busy;
            try (RawConnection y = RawConnection.to(portA)) {
                introduce(y, hello(config, "y"));
                assertThat(y.read(Frames.WELCOME)).isNotNull();
                try (RawConnection z = RawConnection.to(portA)) {
                    introduce(z, hello(config, "z"));
                    busy = rejection(z);
                }
            }
            assertThat(busy.reason()).isEqualTo(ConnectionRefusal.BUSY);
            assertThat(busy.text())
                    .isEqualTo(
                            "this member has 2 clients from 127.0.0.1, as many as it admits from one address (maxClientsPerSource): it is tried again");
            try (RawConnection again = RawConnection.to(portA)) {
                introduce(again, first);
                assertThat(again.read(Frames.WELCOME)).as("the same process").isNotNull();
                awaitClients(a, 1);
                try (RawConnection later = RawConnection.to(portA)) {
                    introduce(later, hello(config, "z"));
                    assertThat(later.read(Frames.WELCOME))
                            .as("there is room again")
                            .isNotNull();
                }
            }
        }
    }

    private RawConnection from(String address, X509Bundle certificate) throws IOException {
        Socket socket = ca.tlsContext(certificate, ca).getSocketFactory().createSocket();
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), portA));
        return RawConnection.over(socket);
    }

    /** Otherwise the machines of one who has a certificate take the places of all. */
    @Test
    @DisabledOnOs(value = OS.MAC, disabledReason = "has one loopback address")
    void oneCertificateHasABoundOfItsOwn() throws Exception {
        X509Bundle shared = ca.certificate("everyone");
        try (Endpoint a = Endpoint.start(config, "a", ports, new ClientLimits(10, 2), tls(ca.certificate("a"), true));
                RawConnection x = from("127.0.0.2", shared)) {
            introduce(x, hello(config, "x"));
            assertThat(x.read(Frames.WELCOME)).isNotNull();
            try (RawConnection y = from("127.0.0.3", shared)) {
                introduce(y, hello(config, "y"));
                assertThat(y.read(Frames.WELCOME)).isNotNull();
                assertThat(sourceOf(a, "x")).isEqualTo(sourceOf(a, "y")).hasSizeGreaterThan(20);
                try (RawConnection z = from("127.0.0.4", shared)) {
                    introduce(z, hello(config, "z"));
                    Rejection busy = rejection(z);
                    assertThat(busy.reason()).isEqualTo(ConnectionRefusal.BUSY);
                    assertThat(busy.text())
                            .isEqualTo(
                                    "this member has 2 clients with the certificate that it shows, as many as it admits with one (maxClientsPerSource): it is tried again");
                }
                try (RawConnection other = from("127.0.0.4", ca.certificate("everyone"))) {
                    introduce(other, hello(config, "w"));
                    assertThat(other.read(Frames.WELCOME))
                            .as("another certificate of the same name")
                            .isNotNull();
                }
            }
            awaitClients(a, 1);
            try (RawConnection later = from("127.0.0.4", shared)) {
                introduce(later, hello(config, "z"));
                assertThat(later.read(Frames.WELCOME)).as("there is room again").isNotNull();
            }
        }
    }

    /** Its certificate names no client, and so it has whatever id is free; it does not keep that from the client whose id it is. */
    @Test
    void aClientThatItsCertificateNamesTakesItsIdBack() throws Exception {
        TlsSetup named = tls(ca.withUri("paxoslease://cell/client/z"), true);
        try (Endpoint a = secured("a", true);
                Endpoint squatter = Endpoint.client(config, "z", ports, "", tls(ca.certificate("someone"), true))) {
            squatter.awaitConnected("a");
            try (Endpoint owner = Endpoint.client(config, "z", ports, "", named)) {
                owner.awaitConnected("a");
                assertThat(a.unreachable.poll(10, TimeUnit.SECONDS)).isEqualTo(new NodeId("z"));
                Eventually.until(
                        "the squatter is told",
                        () -> squatter.state("a").problem() != null
                                && Objects.requireNonNull(squatter.state("a").problem())
                                        .contains("is connected already, from"));
                owner.send("a", Endpoint.request(7));
                assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(Endpoint.request(7));
                assertThat(owner.state("a").connected()).isTrue();
            }
        }
    }

    @Test
    void aCertificateThatNamesAnotherClientIsRefused() throws Exception {
        TlsSetup another = tls(ca.withUri("paxoslease://cell/client/y"), true);
        try (Endpoint a = secured("a", true);
                Endpoint client = Endpoint.client(config, "z", ports, "", another)) {
            Eventually.until(
                    "it is told",
                    () -> String.valueOf(client.state("a").problem())
                            .contains(
                                    "the certificate that client 'z' shows names other clients, [y]: give it a certificate with the URI entry 'paxoslease://cell/client/z'"));
            assertThat(a.transport.clients().connected()).isZero();
        }
    }

    @Test
    void aClientWithOtherPeersIsToldAndSilencesNobody() throws IOException {
        CellConfig other = Endpoint.config("cell", "a", "b", "c");
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                RawConnection client = RawConnection.to(portA)) {
            introduce(client, hello(other, "z"));
            Rejection rejection = Frames.readRejection(
                    Objects.requireNonNull(client.read(Frames.REJECT)).body(), Versions.OURS);
            assertThat(rejection.reason()).isEqualTo(ConnectionRefusal.CONFIGURATION);
            assertThat(rejection.text()).contains("the peers differ, [a, b, c] at 'z' but [a, b] at 'a'");
            assertThat(a.others).isEmpty();
        }
    }

    @Test
    void aClientThatTellsOfAnotherConfigurationIsCutOff() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                RawConnection client = RawConnection.to(portA)) {
            introduce(client, hello(config, "z"));
            assertThat(client.read(Frames.WELCOME)).isNotNull();
            Hello other = Endpoint.hello(Endpoint.config("cell", "a", "b", "c"), "c", "a");
            client.write(out -> Frames.writeHello(out, Frames.OTHER, other));
            client.awaitClosed();
            assertThat(a.others).isEmpty();
            awaitClients(a, 0);
        }
    }

    @Test
    void theSecondProcessOfOneIdIsRefusedAndTheFirstServed() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                Endpoint first = Endpoint.client(config, "z", ports, "")) {
            first.awaitConnected("a");
            try (RawConnection second = RawConnection.to(portA)) {
                introduce(second, hello(config, "z"));
                Rejection rejection = Frames.readRejection(
                        Objects.requireNonNull(second.read(Frames.REJECT)).body(), Versions.OURS);
                assertThat(rejection.reason()).isEqualTo(ConnectionRefusal.DUPLICATE_NODE);
                assertThat(rejection.text()).contains("client 'z' is connected already, from");
            }
            first.send("a", Endpoint.request(1));
            assertThat(a.next()).isNotNull();
        }
    }

    /** A machine that is gone leaves its connection open; the next process under its name must not wait for the silence to end. */
    @Test
    void aDeadClientMakesRoomForTheNextOfItsId() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                RawConnection dead = RawConnection.to(portA)) {
            introduce(dead, hello(config, "z"));
            awaitClients(a, 1);
            try (Endpoint next = Endpoint.client(config, "z", ports, "")) {
                next.awaitConnected("a");
                dead.awaitClosed();
            }
        }
    }

    @Test
    void theSameProcessMayConnectAgain() throws IOException {
        Hello hello = hello(config, "z");
        try (Endpoint a = Endpoint.start(config, "a", ports, 10);
                RawConnection lost = RawConnection.to(portA);
                RawConnection again = RawConnection.to(portA)) {
            introduce(lost, hello);
            assertThat(lost.read(Frames.WELCOME)).isNotNull();
            introduce(again, hello);
            assertThat(again.read(Frames.WELCOME)).isNotNull();
            lost.awaitClosed();
            again.write(out -> Frames.writeEmpty(out, Frames.PING));
            assertThat(again.read(Frames.PONG)).isNotNull();
            assertThat(a.transport.clients().connected()).isEqualTo(1);
            assertThat(a.unreachable).isEmpty();
        }
    }

    @Test
    void aMemberThatSpeaksNoVersionOfTheClientIsNamed() throws IOException {
        try (LogCapture log = LogCapture.of(NettyTransport.class);
                Endpoint later = Endpoint.start(config, "a", ports, Versions.only(2));
                Endpoint client = Endpoint.client(config, "z", ports, "")) {
            log.await("WARN peer 'a' refused this node: wire format version 1 meets version 2: upgrade");
            assertThat(client.state("a").connected()).isFalse();
            assertThat(later.security.refused(ConnectionRefusal.VERSION)).isPositive();
        }
    }

    private static TlsSetup tls(X509Bundle certificate, boolean verifyNodeIds) {
        return new TlsSetup(
                List.of(TestCa.keys(certificate).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of(),
                List.of(),
                verifyNodeIds);
    }

    private Endpoint secured(String id, boolean verifyNodeIds) throws IOException {
        return Endpoint.start(config, id, ports, 10, new Security(tls(ca.certificate(id), verifyNodeIds)));
    }

    @Test
    void withTlsAClientShowsAnyCertificateOfTheCa() throws Exception {
        try (Endpoint a = secured("a", true);
                Endpoint client = Endpoint.client(config, "z", ports, "", tls(ca.certificate("someone"), true))) {
            client.awaitConnected("a");
            client.send("a", Endpoint.request(1));
            assertThat(a.next()).isNotNull();
        }
    }

    /** Else a client could say that it is a member. */
    @Test
    void withTlsClientsAreRefusedWhereCertificatesNeedNotNameTheirNodes() throws IOException {
        try (Endpoint a = secured("a", false);
                Endpoint client = Endpoint.client(config, "z", ports, "", tls(ca.certificate("z"), true))) {
            Eventually.until(
                    "it is told",
                    () -> String.valueOf(client.state("a").problem()).contains("turn verifyNodeId on, on every node"));
            assertThat(a.transport.clients().connected()).isZero();
        }
    }

    @Test
    void withTlsAClientTakesNoOtherClientForAMember() throws IOException {
        try (Endpoint posing =
                        Endpoint.start(config, "a", ports, 10, new Security(tls(ca.certificate("someone"), true)));
                Endpoint client = Endpoint.client(config, "z", ports, "", tls(ca.certificate("z"), true))) {
            Eventually.until("it is refused", () -> client.state("a").refusal() == ConnectionRefusal.NODE_ID_MISMATCH);
            assertThat(posing.transport.clients().connected()).isZero();
        }
    }

    /** Names of clients come and go without end. Each is counted when it is welcomed, not a little later. */
    @Test
    void manyNamesAreCountedAndLeaveNothing() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports, 10)) {
            for (int i = 0; i < 300; i++) {
                try (RawConnection client = RawConnection.to(portA)) {
                    Hello plain = hello(config, "z" + i);
                    introduce(
                            client,
                            new Hello(
                                    config,
                                    plain.from(),
                                    plain.to(),
                                    plain.bootId(),
                                    Versions.OURS,
                                    Hello.Role.CLIENT,
                                    "app" + i));
                    assertThat(client.read(Frames.WELCOME)).isNotNull();
                    assertThat(a.transport.clients()).isEqualTo(new ClientCounts(1, 10, Map.of("app" + i, 1)));
                }
                awaitClients(a, 0);
                assertThat(a.transport.clients().byApplication()).isEmpty();
            }
            assertThat(a.transport.clients()).isEqualTo(new ClientCounts(0, 10, Map.of()));
        }
    }
}
