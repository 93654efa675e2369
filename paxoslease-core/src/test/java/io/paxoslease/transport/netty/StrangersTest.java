package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever somebody says to the port: the connection ends, one line says why, and the node goes on. */
@Tag("slow")
class StrangersTest {

    private static final String CLOSED = "): the connection was closed";

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final int port = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", port, "b", FreePorts.next());
    private LogCapture log;
    private Endpoint node;

    @BeforeEach
    void start() throws IOException {
        log = LogCapture.of(NettyTransport.class);
        node = Endpoint.start(config, "a", ports);
    }

    @AfterEach
    void theNodeIsStillWell() throws IOException {
        try (Endpoint b = Endpoint.start(config, "b", ports)) {
            b.awaitConnected("a");
            node.awaitConnected("b");
        }
        node.close();
        log.close();
    }

    @Test
    void aWebBrowserIsShownTheDoorAndMentionedOnce() throws IOException {
        byte[] request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 3; i++) {
            try (RawConnection browser = RawConnection.to(port)) {
                browser.write(request);
                browser.awaitClosed();
            }
        }
        log.awaitCount("sent something that is no PaxosLease frame", 3);
        assertThat(log.warnings("127.0.0.1 sent something that is no PaxosLease frame ("))
                .hasSize(1);
    }

    @Test
    void randomBytesAreClosed() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 50; i++) {
            byte[] bytes = new byte[random.nextInt(10, 5_000)];
            random.nextBytes(bytes);
            bytes[0] |= 1; // a length above the limit, or below zero
            try (RawConnection stranger = RawConnection.to(port)) {
                stranger.write(bytes);
                stranger.awaitClosed();
            }
        }
    }

    @Test
    void aFrameAboveTheLimitIsClosedBeforeItHasArrived() throws IOException {
        try (RawConnection stranger = RawConnection.to(port)) {
            stranger.write(out -> out.writeInt(Frames.MAX_FRAME + 1).writeByte(Frames.HELLO));
            stranger.awaitClosed();
        }
        log.await("127.0.0.1 sent something that is no PaxosLease frame (");
    }

    @Test
    void aNegativeLengthIsClosed() throws IOException {
        try (RawConnection stranger = RawConnection.to(port)) {
            stranger.write(out -> out.writeInt(-1));
            stranger.awaitClosed();
        }
        log.await("WARN 127.0.0.1 sent something that is no PaxosLease frame (");
    }

    @Test
    void anEmptyFrameIsClosed() throws IOException {
        try (RawConnection stranger = RawConnection.to(port)) {
            stranger.write(out -> out.writeInt(0));
            stranger.awaitClosed();
        }
        log.await("WARN 127.0.0.1 sent something that is no PaxosLease frame (a frame is empty" + CLOSED);
    }

    @Test
    void whoDoesNotIntroduceItselfFirstIsNotHeard() throws IOException {
        try (RawConnection stranger = RawConnection.to(port)) {
            stranger.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(1)), 0));
            stranger.awaitClosed();
        }
        try (RawConnection stranger = RawConnection.to(port)) {
            stranger.write(out -> Frames.writeEmpty(out, Frames.PING));
            stranger.awaitClosed();
        }
        log.awaitCount("(a connection starts with a hello" + CLOSED, 2);
        assertThat(node.arrivals).isEmpty();
    }

    @Test
    void aMalformedFrameEndsAnAdmittedConnection() throws IOException, InterruptedException {
        try (RawConnection b = admitted()) {
            b.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(1)), 0));
            assertThat(node.next()).isEqualTo(new Endpoint.Arrival(new NodeId("b"), Endpoint.request(1)));
            b.write(out ->
                    out.writeInt(3).writeByte(Frames.MESSAGES).writeByte(1).writeByte(200));
            b.awaitClosed();
        }
        log.await("(a frame ends too early" + CLOSED);
    }

    @Test
    void aSecondHelloOrAnUnknownTypeEndsAnAdmittedConnection() throws IOException {
        for (int type : new int[] {Frames.HELLO, Frames.WELCOME, Frames.REJECT, 0, 8, 255}) {
            try (RawConnection b = admitted()) {
                b.write(out -> out.writeInt(1).writeByte(type));
                b.awaitClosed();
            }
            log.await("(unknown frame type " + type + CLOSED);
        }
    }

    @Test
    void aHelloThatGoesOnAfterItsLastFieldIsNotAnswered() throws IOException {
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a"));
                out.writeByte(0).setInt(0, out.writerIndex() - 4);
            });
            assertThat(b.read()).isNull();
        }
        log.await("(a hello does not end where it says" + CLOSED);
    }

    @Test
    void aPingOrAPongWithABodyEndsAnAdmittedConnection() throws IOException {
        for (int type : new int[] {Frames.PING, Frames.PONG}) {
            try (RawConnection b = admitted()) {
                b.write(out -> out.writeInt(2).writeByte(type).writeByte(0));
                b.awaitClosed();
            }
            log.await("(a frame of type " + type + " has a body" + CLOSED);
        }
    }

    @Test
    void aPingIsAnswered() throws IOException {
        try (RawConnection b = admitted()) {
            b.write(out -> Frames.writeEmpty(out, Frames.PING));
            assertThat(b.read(Frames.PONG)).isNotNull();
        }
    }

    @Test
    void anotherVersionIsToldSo() throws IOException {
        String why =
                "wire format version 9 meets version 1: upgrade the node of the older release first, one release at a time";
        for (int i = 0; i < 3; i++) {
            try (RawConnection newer = RawConnection.to(port)) {
                newer.write(out -> {
                    Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a"));
                    out.setShort(4 + 1 + 4, 9).setShort(4 + 1 + 4 + 2, 9);
                });
                Frame answer = Objects.requireNonNull(newer.read());
                assertThat(answer.type()).isEqualTo(Frames.REJECT);
                assertThat(Frames.readRejection(answer.body(), Versions.OURS))
                        .isEqualTo(new Rejection(ConnectionRefusal.VERSION, why));
                assertThat(newer.read()).isNull();
            }
        }
        log.awaitCount("refused 127.0.0.1: " + why, 3);
        assertThat(log.warnings(why)).containsExactly("WARN refused 127.0.0.1: " + why);
    }

    @Test
    void whoSaysNothingForThreeSecondsIsClosedAndLeavesRoomForOthers() throws IOException {
        long start = System.nanoTime();
        List<RawConnection> silent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            silent.add(RawConnection.to(port));
        }
        silent.get(0).write((byte) 0, (byte) 0);
        for (RawConnection connection : silent) {
            connection.awaitClosed();
            connection.close();
        }
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2_900));
    }

    @Test
    void messagesRightBehindTheHelloAreHeard() throws IOException, InterruptedException {
        Hello hello = Endpoint.hello(config, "b", "a");
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.HELLO, hello);
                Frames.writeMessages(out, List.of(Endpoint.request(1)), 0);
            });
            assertThat(node.next()).isEqualTo(new Endpoint.Arrival(new NodeId("b"), Endpoint.request(1)));
        }
    }

    /** The address may be that of a proxy, or of a machine with much else on it. */
    @Test
    void junkFromAnAddressHidesNoRefusalOfAMemberThere() throws IOException {
        for (int i = 1; i <= 30; i++) {
            int algorithm = i + 1; // 0 and 1 are known
            try (RawConnection stranger = RawConnection.to(port)) {
                stranger.write(out -> {
                    Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a"));
                    out.setByte(out.writerIndex() - 15 - 9, algorithm); // before clock bound and members
                });
                stranger.awaitClosed();
            }
            log.await("(no algorithm " + algorithm + " with a clock bound of 0 ns" + CLOSED);
        }
        try (RawConnection b = RawConnection.to(port)) {
            CellConfig other = Endpoint.config("cell", "a", "b", "c");
            b.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(other, "b", "a")));
            assertThat(b.read(Frames.REJECT)).isNotNull();
        }
        log.await("refused 127.0.0.1: the peers differ");
        assertThat(log.warnings("refused 127.0.0.1: the peers differ")).hasSize(1);
        assertThat(log.warnings("(no algorithm ")).hasSize(RateLimitedLog.MAX_MESSAGES);
    }

    @Test
    void anAddressWhoseMemberHasConnectedIsWarnedOfAgain() throws IOException {
        for (int i = 0; i < 2; i++) {
            try (RawConnection stranger = RawConnection.to(port)) {
                stranger.write(out -> out.writeInt(0));
                stranger.awaitClosed();
            }
            log.awaitCount("(a frame is empty" + CLOSED, i + 1);
            admitted().close();
        }
        assertThat(log.warnings("(a frame is empty" + CLOSED)).hasSize(2);
    }

    @Test
    void aHelloInSmallPiecesIsUnderstood() throws IOException {
        try (RawConnection b = RawConnection.to(port)) {
            for (byte one : bytesOfHello()) {
                b.write(one);
            }
            assertThat(b.read(Frames.WELCOME)).isNotNull();
        }
    }

    private byte[] bytesOfHello() {
        var out = Unpooled.buffer();
        Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a"));
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private RawConnection admitted() throws IOException {
        RawConnection b = RawConnection.to(port);
        b.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
        assertThat(b.read(Frames.WELCOME)).isNotNull();
        return b;
    }
}
