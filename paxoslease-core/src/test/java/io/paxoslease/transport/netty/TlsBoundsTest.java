package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCa;
import io.paxoslease.transport.CellConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Node a is besieged, with and without TLS; its peer b finds its way in all the same. */
@Tag("slow")
class TlsBoundsTest {

    private static final TestCa ca = new TestCa("cell");

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    /** Of a node without clients. */
    private static final int PLACES_OF_ONE_HOST = HandshakeLimiter.placesOfOneHost(HandshakeLimiter.places(0, true));

    private final int portA = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", FreePorts.next());
    private final List<RawConnection> strangers = new ArrayList<>();
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(NettyTransport.class);
    }

    @AfterEach
    void close() throws IOException {
        for (RawConnection stranger : strangers) {
            stranger.close();
        }
        log.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePlacesOfOneAddressAreFewAndNewcomersMayTryAgain(boolean tls) throws IOException {
        try (Endpoint a = start("a", tls)) {
            for (int i = 0; i < 3 * PLACES_OF_ONE_HOST; i++) {
                strangers.add(RawConnection.to(portA));
            }
            int tooMany = 2 * PLACES_OF_ONE_HOST;
            for (int i = 0; i < tooMany; i++) {
                strangers.get(PLACES_OF_ONE_HOST + i).awaitClosed();
            }
            Eventually.until(
                    "all are counted", () -> a.security.refused(ConnectionRefusal.TOO_MANY_CONNECTIONS) >= tooMany);
            assertThat(log.warnings("refused 127.0.0.1: too many connections are on their way"))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMemberFindsItsWayWhileStrangersHoldEveryPlace(boolean tls) throws IOException {
        try (Endpoint a = start("a", tls)) {
            for (int i = 0; i < 2 * PLACES_OF_ONE_HOST; i++) {
                strangers.add(RawConnection.to(portA));
            }
            try (Endpoint b = start("b", tls)) {
                a.awaitConnected("b");
                b.awaitConnected("a");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoStallsIsCutOffInTime(boolean tls) throws IOException {
        try (Endpoint a = start("a", tls)) {
            long start = System.nanoTime();
            try (RawConnection silent = RawConnection.to(portA);
                    RawConnection slow = RawConnection.to(portA)) {
                slow.write((byte) (tls ? 0x16 : 0));
                silent.awaitClosed();
                slow.awaitClosed();
            }
            assertThat(System.nanoTime() - start)
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(Connection.HANDSHAKE_MILLIS - 100));
            assertThat(a.security.refused(ConnectionRefusal.HANDSHAKE_TIMEOUT)).isEqualTo(2);
            assertThat(log.warnings("refused 127.0.0.1: it was silent: no HELLO came within 3000 ms"))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void garbageIsCutOffAtOnceAndSaidOnce(boolean tls) throws IOException {
        try (Endpoint a = start("a", tls)) {
            SplittableRandom random = new SplittableRandom(7);
            for (int i = 0; i < 30; i++) {
                byte[] bytes = new byte[random.nextInt(64, 5_000)];
                random.nextBytes(bytes);
                bytes[0] = (byte) 0x7f;
                try (RawConnection stranger = RawConnection.to(portA)) {
                    stranger.write(bytes);
                    stranger.awaitClosed();
                }
            }
            ConnectionRefusal reason = tls ? ConnectionRefusal.NOT_TLS : ConnectionRefusal.MALFORMED;
            Eventually.until("all are counted", () -> a.security.refused(reason) == 30);
            assertThat(log.warnings("127.0.0.1"))
                    .filteredOn(line -> !line.contains("peer 'b'")) // which is not there
                    .hasSize(1);
        }
    }

    private Endpoint start(String id, boolean tls) throws IOException {
        return Endpoint.start(config, id, ports, tls ? setup(id) : (@Nullable TlsSetup) null);
    }

    private static TlsSetup setup(String id) {
        return new TlsSetup(
                List.of(TestCa.keys(ca.certificate(id)).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of(),
                List.of(),
                false);
    }
}
