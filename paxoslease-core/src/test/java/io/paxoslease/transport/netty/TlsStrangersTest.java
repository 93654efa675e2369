package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.pkitesting.X509Bundle;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Versions;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Node a with TLS and verified node ids: what those learn and cost that speak TLS by hand. */
class TlsStrangersTest {

    private static final TestCa ca = new TestCa("cell");

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final int portA = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", FreePorts.next());
    private LogCapture log;
    private Endpoint a;

    @BeforeEach
    void start() throws IOException {
        log = LogCapture.of(NettyTransport.class);
        a = Endpoint.start(config, "a", ports, verifying(ca.certificate("a")));
    }

    @AfterEach
    void close() {
        a.close();
        log.close();
    }

    /** Otherwise a certificate of the CA would be enough to learn from where a member is connected. */
    @Test
    void theCertificateIsJudgedBeforeAnythingIsToldOfTheCell() throws IOException {
        try (Endpoint b = Endpoint.start(config, "b", ports, verifying(ca.certificate("b")))) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            CellConfig other = Endpoint.config("cell", "a", "b", "d");
            for (CellConfig theirs : List.of(config, other)) {
                Rejection rejection = refused("TLSv1.3", new Counting(ca.certificate("c")), theirs, "b");
                assertThat(rejection.reason()).isEqualTo(ConnectionRefusal.NODE_ID_MISMATCH);
                assertThat(rejection.text()).doesNotContain("127.0.0.1");
            }
        }
    }

    /** A session that is resumed proves that the other side had a certificate once, not that it is valid and trusted now. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void everyConnectionShowsItsCertificateAfresh(String protocol) throws Exception {
        Counting keys = new Counting(ca.certificate("b"));
        SSLContext client = context(keys);
        CellConfig other = Endpoint.config("another", "a", "b");
        for (int i = 1; i <= 4; i++) {
            assertThat(refused(protocol, client, other, "b").reason()).isEqualTo(ConnectionRefusal.CELL);
            assertThat(keys.shown).hasValue(i);
        }
    }

    /** They would keep an engine each, with what the handshake has collected, until their turn came for nothing. */
    @Test
    void keyExchangesOfClosedConnectionsWaitNoLonger() throws Exception {
        TransportContext context = a.transport.context;
        CountDownLatch busy = new CountDownLatch(1);
        for (int i = 0; i < context.tlsTasks.getCorePoolSize(); i++) {
            context.tlsTasks.execute(() -> await(busy));
        }
        byte[] clientHello = clientHello();
        for (int i = 0; i < 40; i++) {
            try (RawConnection stranger = RawConnection.to(portA)) {
                stranger.write(clientHello);
                Eventually.until(
                        "its key exchange waits",
                        () -> !context.tlsTasks.getQueue().isEmpty());
            }
            Eventually.until(
                    "it waits no more", () -> context.tlsTasks.getQueue().isEmpty());
        }
        busy.countDown();
        try (Endpoint b = Endpoint.start(config, "b", ports, verifying(ca.certificate("b")))) {
            a.awaitConnected("b");
            b.awaitConnected("a");
        }
    }

    /** The queue has room for what a node and its peers need; without a bound, strangers would fill the memory. */
    @Test
    void aKeyExchangeThatFindsTheQueueFullIsRefusedAndCountedAndOthersGoOn() throws Exception {
        try (Endpoint b = Endpoint.start(config, "b", ports, verifying(ca.certificate("b")))) {
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");
            CountDownLatch busy = fillTheQueue();
            try (RawConnection stranger = RawConnection.to(portA)) {
                stranger.write(clientHello());
                stranger.awaitClosed();
            }
            Eventually.until("it is counted", () -> a.security.refused(ConnectionRefusal.TOO_MANY_CONNECTIONS) > 0);
            assertThat(Arrays.stream(ConnectionRefusal.values())
                            .mapToLong(a.security::refused)
                            .sum())
                    .as("it is counted once, for one reason")
                    .isEqualTo(1);
            assertThat(log.warnings("too many key exchanges wait"))
                    .containsExactly("WARN refused 127.0.0.1: too many key exchanges wait: it may try again");
            b.send("a", Endpoint.request(1));
            assertThat(a.next()).isEqualTo(new Endpoint.Arrival(new NodeId("b"), Endpoint.request(1)));
            assertThat(a.state("b").connected()).isTrue();

            busy.countDown();
            Eventually.until(
                    "there is room again",
                    () -> a.transport.context.tlsTasks.getQueue().isEmpty());
            Rejection rejection = refused("TLSv1.3", new Counting(ca.certificate("c")), config, "b");
            assertThat(rejection.reason())
                    .as("heard of after a key exchange")
                    .isEqualTo(ConnectionRefusal.NODE_ID_MISMATCH);
        }
    }

    @Test
    void aPeerForWhoseKeyExchangesThereIsNoRoomConnectsOnceThereIs() throws Exception {
        CountDownLatch busy = fillTheQueue();
        try (Endpoint b = Endpoint.start(config, "b", ports, verifying(ca.certificate("b")))) {
            Eventually.until(
                    "both ways are refused",
                    () -> a.security.refused(ConnectionRefusal.TOO_MANY_CONNECTIONS) > 1
                            && a.state("b").refusal() == ConnectionRefusal.TOO_MANY_CONNECTIONS);
            assertThat(b.state("a").connected()).isFalse();

            busy.countDown();
            a.awaitConnected("b");
            b.awaitConnected("a");
        }
    }

    /** Both threads are busy, and as many tasks wait as can, until the latch is counted down. */
    private CountDownLatch fillTheQueue() throws InterruptedException {
        ThreadPoolExecutor tasks = a.transport.context.tlsTasks;
        assertThat(tasks.getQueue().remainingCapacity()).isLessThan(100);
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(tasks.getCorePoolSize());
        for (int i = 0; i < tasks.getCorePoolSize(); i++) {
            tasks.execute(() -> {
                begun.countDown();
                await(busy);
            });
        }
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        while (tasks.getQueue().remainingCapacity() > 0) {
            tasks.execute(() -> await(busy));
        }
        return busy;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] clientHello() throws Exception {
        SSLEngine engine = context(new Counting(ca.certificate("b"))).createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    private Rejection refused(String protocol, KeyManager keys, CellConfig theirs, String from) throws IOException {
        try {
            return refused(protocol, context(keys), theirs, from);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Rejection refused(String protocol, SSLContext context, CellConfig theirs, String from) throws IOException {
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", portA)) {
            socket.setSoTimeout((int) Eventually.LIMIT.toMillis());
            socket.setEnabledProtocols(new String[] {protocol});
            ByteBuf out = Unpooled.buffer();
            Hello hello = Endpoint.hello(theirs, from, "a");
            Frames.writeHello(out, Frames.HELLO, hello);
            out.readBytes(socket.getOutputStream(), out.readableBytes());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            assertThat(frame[0]).isEqualTo((byte) Frames.REJECT);
            return Frames.readRejection(Unpooled.wrappedBuffer(frame, 1, frame.length - 1), Versions.OURS);
        }
    }

    private static SSLContext context(KeyManager keys) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {keys}, TestCa.trust(ca).getTrustManagers(), null);
        return context;
    }

    private static TlsSetup verifying(X509Bundle certificate) {
        return new TlsSetup(
                List.of(TestCa.keys(certificate).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of(),
                List.of(),
                true);
    }

    /** Counts how often its certificate is asked for: not at all where a session is resumed. */
    private static final class Counting extends X509ExtendedKeyManager {

        private final X509Bundle certificate;
        private final AtomicInteger shown = new AtomicInteger();

        Counting(X509Bundle certificate) {
            this.certificate = certificate;
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            shown.incrementAndGet();
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
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return "own";
        }
    }
}
