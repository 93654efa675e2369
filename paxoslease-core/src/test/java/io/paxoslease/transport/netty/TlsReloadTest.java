package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.CellConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of open connections when TLS is set up anew. */
@Tag("slow")
@Tag("jdk")
class TlsReloadTest {

    private static final TestCa first = new TestCa("first");
    private static final TestCa second = new TestCa("second");
    private static final NodeId B = new NodeId("b");

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", FreePorts.next());
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(NettyTransport.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void openConnectionsAreMadeAnewAndThePeersStayConnected() throws IOException {
        try (Endpoint a = start("a", setup(first.certificate("a"), first, second), Duration.ofHours(1));
                Endpoint b = start("b", setup(first.certificate("b"), first, second), Duration.ofHours(1))) {
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");
            forgetTheStart(a, b);
            a.security.tls(setup(second.certificate("a"), first, second));
            a.awaitBothConnections("b");
            b.security.tls(setup(second.certificate("b"), second));
            b.awaitBothConnections("a");
            a.security.tls(setup(second.certificate("a"), second));
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");

            assertThat(a.unreachable).isEmpty();
            assertThat(b.unreachable).isEmpty();
            assertThat(log.warnings("lost the connection")).isEmpty();
        }
    }

    @Test
    void connectionsThatCannotBeMadeAnewEndAfterTheGrace() throws IOException, InterruptedException {
        try (Endpoint a = start("a", setup(first.certificate("a"), first), Duration.ofSeconds(2));
                Endpoint b = start("b", setup(first.certificate("b"), first, second), Duration.ofHours(1))) {
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");
            forgetTheStart(a, b);
            a.security.tls(setup(second.certificate("a"), second));

            Eventually.until("b is gone", () -> a.unreachable.contains(B));
            log.await("WARN could not reconnect to peer 'b' after the TLS reload: its old connections end");
            assertThat(log.warnings("peer 'b' at 127.0.0.1 is refused: its certificate is not trusted here"))
                    .isNotEmpty();
            b.security.tls(setup(second.certificate("b"), second));
            a.awaitBothConnections("b");
        }
    }

    /** The name is looked up at each attempt; what the certificate must be made out to stays the configured name. */
    @Test
    void aPeerThatMovesIsFoundByItsNameAndVerifiedByIt() throws IOException {
        AtomicInteger where = new AtomicInteger();
        int elsewhere = FreePorts.next();
        CellConfig alone = Endpoint.config("cell", "a", "b");
        try (Endpoint a = Endpoint.start(
                alone,
                "a",
                ports,
                "b.cell.test",
                address -> where.get() == 0
                        ? address
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), where.get()),
                new Security(setup(first.certificate("a"), first)))) {
            log.await("host 'b.cell.test' of peer 'b' does not resolve");
            for (int port : List.of(ports.getOrDefault("b", 0), elsewhere)) {
                where.set(port);
                X509Bundle certificate = first.certificate(names -> names.addSanDnsName("b.cell.test"));
                try (Endpoint b = start("b", Map.of("a", 1, "b", port), setup(certificate, first), Duration.ZERO)) {
                    a.awaitConnected("b");
                    b.awaitConnected("a");
                }
                Eventually.until("b is gone", () -> !a.state("b").connected());
            }
            where.set(ports.getOrDefault("b", 0));
            try (Endpoint b = start("b", ports, setup(first.certificate("other"), first), Duration.ZERO)) {
                log.await("peer 'b' at 127.0.0.1 is refused: its certificate is not made out to 'b.cell.test'");
                assertThat(a.security.refused(ConnectionRefusal.HOST_NAME)).isPositive();
                assertThat(b.security.refused(ConnectionRefusal.HOST_NAME)).isZero();
            }
        }
    }

    private Endpoint start(String id, TlsSetup tls, Duration grace) throws IOException {
        return start(id, ports, tls, grace);
    }

    private Endpoint start(String id, Map<String, Integer> there, TlsSetup tls, Duration grace) throws IOException {
        return Endpoint.start(config, id, there, "127.0.0.1", Endpoint.BY_THE_JDK, new Security(tls, grace));
    }

    private static void forgetTheStart(Endpoint... nodes) {
        for (Endpoint node : nodes) {
            node.unreachable.clear();
        }
    }

    private static TlsSetup setup(X509Bundle certificate, TestCa... trusted) {
        return new TlsSetup(
                List.of(TestCa.keys(certificate).getKeyManagers()),
                List.of(TestCa.trust(trusted).getTrustManagers()),
                List.of(),
                List.of(),
                false);
    }
}
