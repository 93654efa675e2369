package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.paxoslease.monitor.ConnectionRefusal;
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
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node does with the answers of the peer that it connects to, here b. */
@Tag("slow")
class PeerByHandTest {

    private final CellConfig config = Endpoint.config("cell", "a", "b", "c");
    private final int portB = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", portB, "c", FreePorts.next());
    private LogCapture log;
    private ServerSocket server;
    private Endpoint node;

    @BeforeEach
    void start() throws IOException {
        log = LogCapture.of(NettyTransport.class);
        server = RawConnection.listen(portB);
        node = Endpoint.start(config, "a", ports);
    }

    @AfterEach
    void close() throws IOException {
        node.close();
        server.close();
        log.close();
    }

    @Test
    void theNodeIntroducesItself() throws IOException {
        try (RawConnection b = RawConnection.acceptedBy(server)) {
            Frame first = Objects.requireNonNull(b.read());
            assertThat(first.type()).isEqualTo(Frames.HELLO);
            Hello hello = Frames.readHello(first.body(), Versions.OURS);
            assertThat(hello.config()).isEqualTo(config);
            assertThat(hello.from()).hasToString("a");
            assertThat(hello.to()).hasToString("b");
        }
    }

    @Test
    void aWelcomeMakesThePeerReachable() throws IOException, InterruptedException {
        try (RawConnection b = RawConnection.acceptedBy(server)) {
            b.write(welcome("b"));
            node.awaitConnected("b");
            node.send("b", Endpoint.request(7));
            Frame messages = Objects.requireNonNull(b.read(Frames.MESSAGES));
            assertThat(Frames.readMessages(messages.body())).containsExactly(Endpoint.request(7));
            b.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(8)), 0));
            assertThat(Objects.requireNonNull(node.next()).message()).isEqualTo(Endpoint.request(8));
        }
    }

    @Test
    void anotherMemberAtTheAddressIsNotTakenForThePeer() throws IOException {
        answerThreeTimes(welcome("c"));

        onceInTheLog(
                "'c' answers at 127.0.0.1:" + server.getLocalPort() + ", the address of peer 'b': correct the peers");
        assertThat(node.reachable).isEmpty();
    }

    @Test
    void aWelcomeFromAnotherCellIsRefused() throws IOException {
        answerThreeTimes(out ->
                Frames.writeHello(out, Frames.WELCOME, Endpoint.hello(Endpoint.config("x", "a", "b"), "b", "a")));

        onceInTheLog("peer 'b' at 127.0.0.1 is refused: cell 'x' meets cell 'cell': give every "
                + "node the same cell name, or correct the address");
        assertThat(node.reachable).isEmpty();
    }

    @Test
    void aRejectionIsRepeatedInTheLogWithoutControlCharacters() throws IOException {
        answerThreeTimes(
                out -> Frames.writeRejection(out, new Rejection(ConnectionRefusal.CELL, "no\nERROR forged \u001b[2J")));

        onceInTheLog("peer 'b' refused this node: no\\u000aERROR forged \\u001b[2J");
    }

    @Test
    void aWelcomeOfAnotherVersionIsRejected() throws IOException {
        try (RawConnection b = RawConnection.acceptedBy(server)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.WELCOME, Endpoint.hello(config, "b", "a"));
                out.setShort(4 + 1 + 4, 9).setShort(4 + 1 + 4 + 2, 9);
            });
            Frame answer = Objects.requireNonNull(b.read(Frames.REJECT));
            assertThat(Frames.readRejection(answer.body(), Versions.OURS).reason())
                    .isEqualTo(ConnectionRefusal.VERSION);
            b.awaitClosed();
        }
        log.await("wire format version 9 meets version 1");
    }

    @Test
    void messagesBeforeTheWelcomeAreNotHeard() throws IOException {
        answerThreeTimes(out -> Frames.writeMessages(out, List.of(Endpoint.request(1)), 0));

        onceInTheLog("127.0.0.1 sent something that is no PaxosLease frame (a welcome was expected): "
                + "the connection was closed");
        assertThat(node.arrivals).isEmpty();
    }

    @Test
    void anotherServiceAtTheAddressIsMentionedOnce() throws IOException {
        answerThreeTimes(out -> out.writeCharSequence("220 mail ESMTP\r\n", StandardCharsets.US_ASCII));

        log.awaitCount("sent something that is no PaxosLease frame", 3);
        assertThat(log.warnings("sent something that is no PaxosLease frame")).hasSize(1);
    }

    /** Meanwhile the other peers are served; the connection is closed after the time for a handshake, and made anew. */
    @Test
    void aPeerThatDoesNotAnswerTheHelloIsTriedAgain() throws IOException {
        try (RawConnection silent = RawConnection.acceptedBy(server);
                Endpoint c = Endpoint.start(config, "c", ports)) {
            node.awaitConnected("c");
            c.awaitConnected("a");
            silent.awaitClosed();
            boolean again = false;
            while (!again) { // node c looks for b, too
                again = isHelloFromA(RawConnection.acceptedBy(server));
            }
        }
    }

    @Test
    void aPeerThatSpeaksNoVersionOfOursIsMentionedOnce() throws IOException {
        String why = "wire format version 1 meets version 9";
        answerThreeTimes(out -> Frames.writeRejection(out, new Rejection(ConnectionRefusal.VERSION, why)));

        onceInTheLog("peer 'b' refused this node: " + why);
    }

    private static boolean isHelloFromA(RawConnection connection) throws IOException {
        try (connection) {
            Hello hello =
                    Frames.readHello(Objects.requireNonNull(connection.read()).body(), Versions.OURS);
            return hello.from().name().equals("a");
        }
    }

    private static Consumer<ByteBuf> welcome(String from) {
        Hello hello = Endpoint.hello(Endpoint.config("cell", "a", "b", "c"), from, "a");
        return out -> Frames.writeHello(out, Frames.WELCOME, hello);
    }

    private void answerThreeTimes(Consumer<ByteBuf> answer) throws IOException {
        for (int i = 0; i < 3; i++) {
            try (RawConnection b = RawConnection.acceptedBy(server)) {
                assertThat(b.read(Frames.HELLO)).isNotNull();
                b.write(answer);
                b.awaitClosed();
            }
        }
    }

    private void onceInTheLog(String line) {
        log.awaitCount(line, 3);
        assertThat(log.warnings(line)).containsExactly("WARN " + line);
        assertThat(node.state("b").connected()).isFalse();
        assertThat(node.state("b").problem()).isEqualTo(line);
        assertThat(node.state("b").refusal()).isNotNull();
    }
}
