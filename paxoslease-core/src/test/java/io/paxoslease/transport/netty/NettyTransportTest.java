package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.netty.Endpoint.Arrival;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("jdk")
class NettyTransportTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");

    private final CellConfig config = Endpoint.config("cell", "a", "b", "c");
    private final Map<String, Integer> ports =
            Map.of("a", FreePorts.next(), "b", FreePorts.next(), "c", FreePorts.next());
    private Endpoint a;
    private Endpoint b;

    @BeforeEach
    void start() throws IOException {
        a = Endpoint.start(config, "a", ports);
        b = Endpoint.start(config, "b", ports);
        a.awaitConnected("b");
        b.awaitConnected("a");
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    @Test
    void requestsArriveInOrder() throws InterruptedException {
        a.send("b", Endpoint.request(1), Endpoint.request(2));
        a.send("b", Endpoint.request(3));

        assertThat(b.next()).isEqualTo(new Arrival(A, Endpoint.request(1)));
        assertThat(b.next()).isEqualTo(new Arrival(A, Endpoint.request(2)));
        assertThat(b.next()).isEqualTo(new Arrival(A, Endpoint.request(3)));
    }

    @Test
    void answersArriveInOrder() throws InterruptedException {
        b.send("a", accepted(1), accepted(2));
        b.send("a", accepted(3));

        assertThat(a.next()).isEqualTo(new Arrival(B, accepted(1)));
        assertThat(a.next()).isEqualTo(new Arrival(B, accepted(2)));
        assertThat(a.next()).isEqualTo(new Arrival(B, accepted(3)));
    }

    @Test
    void manyMessagesOfOneCallAllArrive() throws InterruptedException {
        List<Message> many =
                LongStream.range(0, 10_000).mapToObj(Endpoint::request).toList();
        a.send("b", many);

        for (Message message : many) {
            assertThat(b.next()).isEqualTo(new Arrival(A, message));
        }
    }

    @Test
    void bothSidesAreToldThatTheOtherCanBeReached() throws InterruptedException {
        assertThat(a.reachable.poll(10, TimeUnit.SECONDS)).isEqualTo(B);
        assertThat(b.reachable.poll(10, TimeUnit.SECONDS)).isEqualTo(A);
    }

    @Test
    void theOtherSideIsToldThatAPeerIsGone() throws InterruptedException {
        a.close();

        NodeId gone = b.unreachable.poll(10, TimeUnit.SECONDS);
        while (gone != null && !gone.equals(A)) { // c was never there
            gone = b.unreachable.poll(10, TimeUnit.SECONDS);
        }
        assertThat(gone).isEqualTo(A);
    }

    /** A loop can stay between the two for ever, when its thread dies for want of memory. */
    @Test
    void aLoopThatHasBegunToEndIsToldBeforeItIsShutDown() {
        assertThat(a.transport.isEnding()).isFalse();
        a.transport.context.loop.shutdownGracefully(10, 20, TimeUnit.SECONDS);

        assertThat(a.transport.loop().isShutdown()).isFalse();
        assertThat(a.transport.isEnding()).isTrue();
    }

    @Test
    void whatIsSentToAPeerThatIsAwayIsDropped() throws InterruptedException {
        a.send("c", Endpoint.request(1));
        a.send("nobody", Endpoint.request(2));
        a.send("a", Endpoint.request(3));
        a.send("b", Endpoint.request(4));

        assertThat(b.next()).isEqualTo(new Arrival(A, Endpoint.request(4)));
        assertThat(a.arrivals).isEmpty();
        assertThat(a.state("c").connected()).isFalse();
    }

    @Test
    void thePeersAreListedWithTheirState() {
        assertThat(a.transport.peers())
                .extracting(PeerState::node, PeerState::connected, PeerState::problem)
                .hasSize(2)
                .contains(tuple(B, true, null));
        assertThat(a.state("c").problem())
                .isIn(
                        null,
                        "cannot reach peer 'c' at 127.0.0.1:%d (Connection refused); trying again"
                                .formatted(ports.get("c")));
    }

    @Test
    void whatWasWrittenBeforeTheCloseArrives() throws InterruptedException {
        List<Message> many =
                LongStream.range(0, 2_000).mapToObj(Endpoint::request).toList();
        a.send("b", many);
        a.close();

        for (Message message : many) {
            assertThat(b.next()).isEqualTo(new Arrival(A, message));
        }
    }

    @Test
    void closingTakesNoLongerThanItMustAndFreesThePort() throws IOException {
        long start = System.nanoTime();
        a.close();
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));

        a = Endpoint.start(config, "a", ports);
        a.awaitConnected("b");
    }

    @Test
    void aLoopThatHasEndedIsNoReasonToKeepAnything() {
        a.transport.context.loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
        a.transport.close();

        assertThat(a.transport.context.lookUps.isShutdown()).isTrue();
        assertThat(a.transport.context.tlsTasks.isShutdown()).isTrue();
        assertThat(a.transport.context.open.size()).isZero();
    }

    private static Message accepted(long number) {
        return new PaxosMessage.Accepted("r", new Ballot(number, new Incarnation(1, 2)), number);
    }
}
