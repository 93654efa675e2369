package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Nodes of the first release and of this one in one cell. */
class UpgradeTest {

    private static final Versions FIRST = Versions.only(1);

    private final int portA = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", FreePorts.next());
    private final CellConfig config = Endpoint.config("cell", "a", "b");

    @Test
    void anOldAndANewNodeTalkInBothDirections() throws Exception {
        try (LogCapture log = LogCapture.of(NettyTransport.class);
                Endpoint b = Endpoint.start(config, "b", ports, Versions.OURS);
                Endpoint a = Endpoint.start(config, "a", ports, FIRST)) {
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");
            a.send("b", Endpoint.request(1));
            b.send("a", Endpoint.request(2));

            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(Endpoint.request(1));
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(Endpoint.request(2));
            assertThat(b.security.refused(ConnectionRefusal.BY_PEER)).isZero();
            assertThat(log.warnings("'b' refused")).isEmpty();
        }
    }

    /** Else the guard of a starting node would be blind in a cell of two releases. */
    @Test
    void theOtherConfigurationIsTalkedAboutAcrossVersions() throws IOException {
        CellConfig other = Endpoint.config("cell", "a", "b", "c");
        try (Endpoint a = Endpoint.start(config, "a", ports, Versions.OURS);
                RawConnection b = RawConnection.to(portA)) {
            Hello hello = Endpoint.hello(other, "b", "a").in(FIRST);
            b.write(out -> Frames.writeHello(out, Frames.HELLO, hello));
            Rejection rejection = Frames.readRejection(
                    Objects.requireNonNull(b.read(Frames.REJECT)).body(), FIRST);

            assertThat(Objects.requireNonNull(rejection.refuser()).hello().config())
                    .isEqualTo(config);
            Eventually.until("a hears of it", () -> !a.others.isEmpty());
        }
    }
}
