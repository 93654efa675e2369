package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
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

/** Nodes of this release, and of a later one whose wire format has another version, in one cell. */
class UpgradeTest {

    private static final int OURS = Versions.OURS.highest();
    /** The range of a later release that still speaks the version of this one. */
    private static final Versions NEXT = new Versions(OURS, OURS + 1);

    private final int portA = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", FreePorts.next());
    private final CellConfig config = Endpoint.config("cell", "a", "b");

    @Test
    void nodesOfTwoReleasesTalkInBothDirections() throws Exception {
        try (LogCapture log = LogCapture.of(NettyTransport.class);
                Endpoint b = Endpoint.start(config, "b", ports, NEXT);
                Endpoint a = Endpoint.start(config, "a", ports, Versions.OURS)) {
            a.awaitBothConnections("b");
            b.awaitBothConnections("a");
            a.send("b", Endpoint.request(1));
            b.send("a", Endpoint.request(2));

            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(Endpoint.request(1));
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(Endpoint.request(2));
            assertThat(log.warnings("refused")).isEmpty();
        }
    }

    @Test
    void theAcceptingNodeNamesTheHighestVersionThatBothSpeak() throws IOException {
        for (Versions ours : new Versions[] {Versions.OURS, NEXT}) {
            try (Endpoint a = Endpoint.start(config, "a", ports, ours);
                    RawConnection b = RawConnection.to(portA)) {
                b.write(out -> Frames.writeHello(
                        out, Frames.HELLO, Endpoint.hello(config, "b", "a").in(NEXT)));
                Hello welcome = Frames.readHello(
                        Objects.requireNonNull(b.read(Frames.WELCOME)).body(), NEXT);

                assertThat(welcome.versions()).isEqualTo(Versions.only(ours.highest()));
                a.awaitConnected("b");
            }
        }
    }

    @Test
    void nodesWithoutACommonVersionRefuseEachOther() throws Exception {
        try (LogCapture log = LogCapture.of(NettyTransport.class);
                Endpoint a = Endpoint.start(config, "a", ports, Versions.OURS);
                Endpoint b = Endpoint.start(config, "b", ports, Versions.only(OURS + 1))) {
            String advice = ": upgrade the node of the older release first, one release at a time";
            log.await("peer 'a' refused this node: wire format version 2 meets version 1" + advice);
            log.await("peer 'b' refused this node: wire format version 1 meets version 2" + advice);

            assertThat(a.state("b").connected()).isFalse();
            assertThat(b.security.refused(ConnectionRefusal.VERSION)).isPositive();
        }
    }

    /** Otherwise a starting node would not notice another configuration in a cell of two releases. */
    @Test
    void theOtherConfigurationIsTalkedAboutAcrossVersions() throws IOException {
        CellConfig other = Endpoint.config("cell", "a", "b", "c");
        try (Endpoint a = Endpoint.start(config, "a", ports, Versions.OURS);
                RawConnection b = RawConnection.to(portA)) {
            b.write(out -> Frames.writeHello(
                    out, Frames.HELLO, Endpoint.hello(other, "b", "a").in(NEXT)));
            Rejection rejection = Frames.readRejection(
                    Objects.requireNonNull(b.read(Frames.REJECT)).body(), NEXT);

            assertThat(Objects.requireNonNull(rejection.refuser()).hello().config())
                    .isEqualTo(config);
            Eventually.until("a hears of it", () -> !a.others.isEmpty());
        }
    }

    /** What another release has said must not be passed on as if it were of its version. */
    @Test
    void anotherConfigurationOfALaterReleaseIsPassedOnInOurVersions() throws IOException {
        CellConfig other = Endpoint.config("cell", "a", "c");
        try (Endpoint a = Endpoint.start(config, "a", ports, Versions.OURS);
                RawConnection b = RawConnection.to(portA);
                RawConnection c = RawConnection.to(portA)) {
            b.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
            assertThat(b.read(Frames.WELCOME)).isNotNull();
            c.write(out -> Frames.writeHello(
                    out, Frames.HELLO, Endpoint.hello(other, "c", "a").in(NEXT)));
            Hello passedOn = Frames.readHello(
                    Objects.requireNonNull(b.read(Frames.OTHER)).body(), Versions.OURS);

            assertThat(passedOn.from()).isEqualTo(new NodeId("c"));
            assertThat(passedOn.versions()).isEqualTo(Versions.OURS);
            assertThat(a.state("b").connected()).isTrue();
        }
    }
}
