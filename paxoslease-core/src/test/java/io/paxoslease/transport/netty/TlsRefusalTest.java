package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.pkitesting.X509Bundle;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Versions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes a and b with TLS: what each refuses, in both directions, and what it counts and says. */
@Tag("slow")
@Tag("jdk")
class TlsRefusalTest {

    private static final TestCa ca = new TestCa("cell");
    private static final TestCa otherCa = new TestCa("other");

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final int portA = FreePorts.next();
    private final int portB = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", portB);
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
    void nodesWithCertificatesOfTheSameCaConnectBothWays() throws IOException, InterruptedException {
        try (Endpoint a = start("a", tls(ca.certificate("a")));
                Endpoint b = start("b", tls(ca.certificate("b")))) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            a.send("b", Endpoint.request(1));
            b.send("a", Endpoint.request(2));
            assertThat(b.next()).isNotNull();
            assertThat(a.next()).isNotNull();
            Eventually.until(
                    "each has measured the round trip",
                    () -> a.state("b").roundTripNanos() > 0 && b.state("a").roundTripNanos() > 0);
            assertThat(log.warnings("refused ")).isEmpty();
        }
    }

    @Test
    void aNodeWithoutTlsIsRefusedAndBothSidesSaySo() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")));
                Endpoint b = start("b", null)) {
            awaitRefusals(a, ConnectionRefusal.NOT_TLS);
            awaitRefusals(b, ConnectionRefusal.UNEXPECTED_TLS);
            once("refused 127.0.0.1: it does not speak TLS, and this node does");
            once("peer 'b' at 127.0.0.1 is refused: it does not speak TLS, and this node does");
            once("refused 127.0.0.1: it speaks TLS, and this node does not");
            once("peer 'a' at 127.0.0.1 is refused: it speaks TLS, and this node does not");
            Eventually.until(
                    "each knows why",
                    () -> a.state("b").refusal() == ConnectionRefusal.NOT_TLS
                            && b.state("a").refusal() == ConnectionRefusal.UNEXPECTED_TLS);
            neverConnected(a, b);
        }
    }

    /** More than one read brings: what is left unread makes the operating system reset the connection, after the answer. */
    @ParameterizedTest
    @ValueSource(ints = {200, 20_000})
    void aPlainCallerOfANodeWithTlsHearsAnAlert(int length) throws IOException {
        byte[] call = new byte[length];
        call[3] = (byte) 200;
        try (Endpoint a = start("a", tls(ca.certificate("a")))) {
            assertThat(answer(portA, call, 7)).containsExactly(0x15, 3, 3, 0, 2, 2, 0x28);
            awaitRefusals(a, ConnectionRefusal.NOT_TLS, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 20_000})
    void aCallerWithTlsOfANodeWithoutHearsARejection(int length) throws IOException {
        byte[] call = new byte[length];
        System.arraycopy(new byte[] {0x16, 3, 1, 1, 0}, 0, call, 0, 5);
        try (Endpoint b = start("b", null)) {
            ByteBuf frame = Unpooled.wrappedBuffer(answer(portB, call, 100));
            assertThat(frame.readInt()).isEqualTo(frame.readableBytes());
            assertThat(frame.readByte()).isEqualTo((byte) Frames.REJECT);
            assertThat(Frames.readRejection(frame, Versions.only(1)).reason()).isEqualTo(ConnectionRefusal.VERSION);
            awaitRefusals(b, ConnectionRefusal.UNEXPECTED_TLS, 1);
        }
    }

    /** What comes before the end of the connection, and not more than so much. */
    private static byte[] answer(int port, byte[] call, int length) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) Eventually.LIMIT.toMillis());
            socket.getOutputStream().write(call);
            int next = socket.getInputStream().read();
            while (next >= 0 && answer.size() < length) {
                answer.write(next);
                next = answer.size() < length ? socket.getInputStream().read() : -1;
            }
        } catch (SocketException reset) {
            // closed as well
        }
        return answer.toByteArray();
    }

    @Test
    void aPlainTextStrangerIsRefused() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")));
                RawConnection stranger = RawConnection.to(portA)) {
            stranger.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
            stranger.awaitClosed();
            awaitRefusals(a, ConnectionRefusal.NOT_TLS, 1);
        }
    }

    @Test
    void aCertificateOfAnotherCaIsRefused() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")));
                Endpoint b = start(
                        "b", new TlsSetup(keys(otherCa.certificate("b")), trust(), List.of(), List.of(), false))) {
            awaitRefusals(a, ConnectionRefusal.UNTRUSTED_CERTIFICATE);
            awaitRefusals(a, ConnectionRefusal.NO_CERTIFICATE);
            awaitRefusals(b, ConnectionRefusal.BY_PEER);
            once("peer 'b' at 127.0.0.1 is refused: its certificate is not trusted here");
            once("refused 127.0.0.1: it shows no certificate of a CA that this node trusts");
            once("refused 127.0.0.1: it refuses this node in the TLS handshake (certificate_unknown)");
            neverConnected(a, b);
        }
    }

    @Test
    void anExpiredCertificateIsRefused() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")));
                Endpoint b = start("b", tls(ca.expired("b")))) {
            awaitRefusals(a, ConnectionRefusal.EXPIRED_CERTIFICATE);
            once("refused 127.0.0.1: its certificate has expired or is not valid yet");
            once("peer 'b' at 127.0.0.1 is refused: its certificate has expired or is not valid yet");
            neverConnected(a, b);
        }
    }

    @Test
    void aCertificateForAnotherHostIsRefusedByWhoCalls() throws IOException {
        X509Bundle elsewhere =
                ca.certificate(names -> names.addSanDnsName("elsewhere").addSanIpAddress("10.9.8.7"));
        try (Endpoint a = start("a", tls(elsewhere));
                Endpoint b = start("b", tls(elsewhere))) {
            awaitRefusals(a, ConnectionRefusal.HOST_NAME);
            awaitRefusals(b, ConnectionRefusal.HOST_NAME);
            once("peer 'b' at 127.0.0.1 is refused: its certificate is not made out to '127.0.0.1'");
            once("peer 'a' at 127.0.0.1 is refused: its certificate is not made out to '127.0.0.1'");
            neverConnected(a, b);
        }
    }

    /** The name counts, not the address that it leads to. */
    @Test
    void theConfiguredHostNameIsWhatIsChecked() throws IOException {
        try (Endpoint a = named("a", "nodes.test", ca.certificate(names -> names.addSanDnsName("nodes.test")));
                Endpoint b = named("b", "nodes.test", ca.certificate(names -> names.addSanIpAddress("127.0.0.1")))) {
            awaitRefusals(a, ConnectionRefusal.HOST_NAME);
            once("peer 'b' at 127.0.0.1 is refused: its certificate is not made out to 'nodes.test'");
            b.awaitConnected("a");
        }
    }

    @Test
    void whoShowsNoCertificateIsRefused() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")))) {
            for (int i = 0; i < 3; i++) {
                try (SSLSocket stranger = connect(null)) {
                    // With TLS 1.3 the refusal comes after the client's part of the handshake.
                    assertThatThrownBy(() -> stranger.getInputStream().readAllBytes())
                            .isInstanceOf(IOException.class);
                }
            }
            awaitRefusals(a, ConnectionRefusal.NO_CERTIFICATE, 3);
            once("refused 127.0.0.1: it shows no certificate");
        }
    }

    /** A node asks for certificates of its CAs only; who sends another one all the same is refused as well. */
    @Test
    void whoInsistsOnACertificateOfAnotherCaIsRefused() throws IOException {
        try (Endpoint a = start("a", tls(ca.certificate("a")))) {
            for (int i = 0; i < 3; i++) {
                try (SSLSocket stranger = connect(new Insisting(otherCa.certificate("b")))) {
                    assertThatThrownBy(() -> stranger.getInputStream().readAllBytes())
                            .isInstanceOf(IOException.class);
                }
            }
            awaitRefusals(a, ConnectionRefusal.UNTRUSTED_CERTIFICATE, 3);
            once("refused 127.0.0.1: its certificate is not trusted here");
        }
    }

    private SSLSocket connect(@Nullable KeyManager keys) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    keys == null ? null : new KeyManager[] {keys},
                    TestCa.trust(ca).getTrustManagers(),
                    null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", portA);
            socket.setSoTimeout((int) Eventually.LIMIT.toMillis());
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withNodeIdsVerifiedEachNodeNeedsACertificateOfItsOwn() throws IOException {
        try (Endpoint a = start("a", verifying(ca.certificate("a.cell.test")));
                Endpoint b = start("b", verifying(ca.withUri("paxoslease://cell/b")))) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            Eventually.until("both ways", () -> log.count("INFO Connected to peer") >= 2);
            assertThat(log.warnings("refused ")).isEmpty();
        }
    }

    @Test
    void aValidCertificateOfAnotherNodeIsRefusedBothWays() throws IOException {
        try (Endpoint a = start("a", verifying(ca.certificate("a")));
                Endpoint b = start("b", verifying(ca.certificate("c")))) {
            awaitRefusals(a, ConnectionRefusal.NODE_ID_MISMATCH);
            awaitRefusals(b, ConnectionRefusal.BY_PEER);
            String why = "the certificate that 'b' shows does not name it, its names are [c]";
            once("refused 127.0.0.1: " + why);
            once("peer 'b' at 127.0.0.1 is refused: " + why);
            once("peer 'a' refused this node: " + why);
            neverConnected(a, b);
        }
    }

    @Test
    void noCommonProtocolIsAFailureOfTls() throws IOException {
        try (Endpoint a = start("a", speaking("TLSv1.2"));
                Endpoint b = start("b", speaking("TLSv1.3"))) {
            Eventually.until("each has refused or was refused", () -> refusals(a) > 1 && refusals(b) > 1);
            neverConnected(a, b);
        }
    }

    private TlsSetup speaking(String protocol) {
        return new TlsSetup(keys(ca.certificate("x")), trust(), List.of(protocol), List.of(), false);
    }

    private Endpoint start(String id, @Nullable TlsSetup tls) throws IOException {
        return Endpoint.start(config, id, ports, tls);
    }

    private Endpoint named(String id, String host, X509Bundle certificate) throws IOException {
        return Endpoint.start(
                config,
                id,
                ports,
                host,
                address -> new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()),
                new Security(tls(certificate)));
    }

    private static TlsSetup tls(X509Bundle certificate) {
        return new TlsSetup(keys(certificate), trust(), List.of(), List.of(), false);
    }

    private static TlsSetup verifying(X509Bundle certificate) {
        return new TlsSetup(keys(certificate), trust(), List.of(), List.of(), true);
    }

    private static List<KeyManager> keys(X509Bundle certificate) {
        KeyManagerFactory factory = TestCa.keys(certificate);
        return List.of(factory.getKeyManagers());
    }

    private static List<TrustManager> trust() {
        return List.of(TestCa.trust(ca).getTrustManagers());
    }

    private static void awaitRefusals(Endpoint node, ConnectionRefusal reason) {
        awaitRefusals(node, reason, 3);
    }

    private static void awaitRefusals(Endpoint node, ConnectionRefusal reason, int count) {
        Eventually.until(count + " times " + reason, () -> node.security.refused(reason) >= count);
    }

    private static long refusals(Endpoint node) {
        long sum = 0;
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            sum += node.security.refused(reason);
        }
        return sum;
    }

    private void once(String line) {
        log.awaitCount(line, 2);
        assertThat(log.warnings(line)).hasSize(1);
    }

    private static void neverConnected(Endpoint a, Endpoint b) {
        assertThat(a.reachable).isEmpty();
        assertThat(b.reachable).isEmpty();
    }

    /** Shows its certificate whatever it is asked for. */
    private static final class Insisting extends X509ExtendedKeyManager {

        private final X509Bundle certificate;

        Insisting(X509Bundle certificate) {
            this.certificate = certificate;
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return certificate.getCertificatePath();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return certificate.getKeyPair().getPrivate();
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return "own";
        }
    }
}
