package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCa;
import io.paxoslease.testing.TestCell;
import io.paxoslease.transport.netty.NettyTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cell of three whose nodes talk TLS, before, while and after their keys are changed. */
@Tag("slow")
@Tag("jdk")
class TlsCellTest {

    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final List<String> NODES = List.of("a", "b", "c");

    private final TestCa first = new TestCa("first");
    private final TestCa second = new TestCa("second");

    @Test
    void leasesAreAcquiredRenewedAndReleasedOverTls() throws InterruptedException {
        try (TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c")) {
            for (String id : NODES) {
                start(
                        cell,
                        id,
                        first.tls(first.certificate(id)).verifyNodeIds(true).build());
            }
            cell.awaitServing();
            Lease lease =
                    cell.node("a").tryAcquire("r", AcquireOptions.renewing()).orElseThrow();
            CompletableFuture<Lease> waiting = cell.node("b").acquire("r", AcquireOptions.renewing());
            Eventually.until("it was renewed", () -> renewals(cell) > 2);
            assertThat(waiting).isNotDone();
            lease.release();
            assertThat(waiting.join().isHeld()).isTrue();
            Eventually.until("the round trip is known", () -> cell.node("c").monitor().status().peers().stream()
                    .allMatch(peer -> peer.roundTrip() != null));
        }
    }

    private static long renewals(TestCell cell) {
        return cell.node("a").monitor().status("r").map(LeaseStatus::renewals).orElse(0L);
    }

    /** The steps of a rotation: trust both authorities, show certificates of the new one, trust the new one only. */
    @Test
    void theAuthorityIsReplacedWhileALeaseIsHeld() throws IOException, InterruptedException {
        try (TestCell cell = TestCell.of(LEASE, "a", "b", "c")) {
            for (String id : NODES) {
                start(
                        cell,
                        id,
                        TlsOptions.builder(TestCa.keys(first.certificate(id)), TestCa.trust(first, second))
                                .build());
            }
            cell.awaitServing();
            Lease lease =
                    cell.node("a").tryAcquire("r", AcquireOptions.renewing()).orElseThrow();
            Certificate old = shownBy(cell, "a");
            for (String id : NODES) {
                cell.node(id)
                        .admin()
                        .reloadTls(TlsOptions.builder(TestCa.keys(second.certificate(id)), TestCa.trust(first, second))
                                .build());
            }
            for (String id : NODES) {
                cell.node(id)
                        .admin()
                        .reloadTls(second.tls(second.certificate(id)).build());
            }
            assertThat(shownBy(cell, "a")).isNotEqualTo(old);
            long renewals = renewals(cell);
            Eventually.until("it is renewed with the new keys", () -> renewals(cell) > renewals + 1);

            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.fencingToken()).isPositive();
            long refused = untrusted(cell.node("a"));
            try (SSLSocket stranger = connect(cell, "a", first.tlsContext(first.certificate("b"), second))) {
                assertThatThrownBy(() -> stranger.getInputStream().readAllBytes())
                        .isInstanceOf(IOException.class);
            }
            Eventually.until("the old authority is refused", () -> untrusted(cell.node("a")) > refused);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void aPeerThatCannotProveItselfAnyMoreIsCutOffAndTheOthersGoOn() throws InterruptedException {
        try (TestCell cell = TestCell.of(LEASE, "a", "b", "c");
                LogCapture log = LogCapture.of(NettyTransport.class)) {
            for (String id : NODES) {
                start(cell, id, first.tls(first.certificate(id)).build());
            }
            cell.awaitServing();
            Lease lease =
                    cell.node("a").tryAcquire("r", AcquireOptions.renewing()).orElseThrow();
            cell.node("c").admin().reloadTls(first.tls(first.expired("c")).build());
            log.await("refused 127.0.0.1: its certificate has expired");
            cell.node("c").stop();
            cell.node("c").start();
            log.awaitCount("refused 127.0.0.1: its certificate has expired", 3);
            long renewals = renewals(cell);
            Eventually.until("it is renewed without c", () -> renewals(cell) > renewals + 1);

            assertThat(lease.isHeld()).isTrue();
            assertThat(cell.node("c").monitor().status().peers()).noneMatch(PeerStatus::connected);
            cell.node("c").admin().reloadTls(first.tls(first.certificate("c")).build());
            Eventually.until("c is back", () -> cell.node("c").monitor().status().peers().stream()
                    .allMatch(PeerStatus::connected));
        }
    }

    @Test
    void keysThatCannotBeUsedAreRefusedAndTheOldOnesStay() {
        try (TestCell cell = TestCell.of(LEASE, "a", "b", "c")) {
            PaxosLease node = cell.start(cell.options("a")
                    .tls(first.tls(first.certificate("a")).verifyNodeIds(true).build())
                    .build());
            Certificate before = shownBy(cell, "a");

            assertThatThrownBy(() -> node.admin()
                            .reloadTls(first.tls(first.certificate("b"))
                                    .verifyNodeIds(true)
                                    .build()))
                    .isInstanceOf(InvalidOptionException.class)
                    .hasMessageContaining("does not name this node, 'a'");
            assertThat(shownBy(cell, "a")).isEqualTo(before);
        }
    }

    private static long untrusted(PaxosLease node) {
        Map<ConnectionRefusal, Long> counts = node.monitor().refusedConnections();
        return counts.getOrDefault(ConnectionRefusal.UNTRUSTED_CERTIFICATE, 0L)
                + counts.getOrDefault(ConnectionRefusal.NO_CERTIFICATE, 0L);
    }

    /** The certificate that the node shows to whoever connects. */
    private Certificate shownBy(TestCell cell, String id) {
        try (SSLSocket socket = connect(cell, id, first.tlsContext(first.certificate("x"), first, second))) {
            socket.startHandshake();
            return socket.getSession().getPeerCertificates()[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SSLSocket connect(TestCell cell, String id, SSLContext context) throws IOException {
        String address = Objects.requireNonNull(cell.addresses().get(id));
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout((int) Eventually.LIMIT.toMillis());
        return socket;
    }

    private static void start(TestCell cell, String id, TlsOptions tls) {
        cell.start(cell.options(id).tls(tls).build());
    }
}
