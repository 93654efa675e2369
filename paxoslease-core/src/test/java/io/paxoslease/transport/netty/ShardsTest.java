package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that is made to one port ends up on the loop of the shard that its hello names. The peer is spoken by hand. */
@Timeout(60)
class ShardsTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final int SHARDS = 3;

    private record Arrival(
            int shard, Thread on, NodeId from, @Nullable Message message) {}

    /** What follows the shard in a hello of two members: algorithm and clock bound, then a count and two short names. */
    private static final int ALGORITHM_BYTES = 1 + Long.BYTES;

    private static final int MEMBERS_BYTES = 1 + 2 + 2;

    private final CellConfig config = new CellConfig("cell", List.of(A, B), Endpoint.M, 0.1, SHARDS);
    private final int port = FreePorts.next();
    private final int nowhere = FreePorts.next();
    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final BlockingQueue<Arrival> reachable = new LinkedBlockingQueue<>();
    private LogCapture log;
    private NettyTransport node;
    private boolean closed;

    private final class Recorder implements Transport.Receiver {

        private final int shard;

        Recorder(int shard) {
            this.shard = shard;
        }

        @Override
        public void received(NodeId from, List<Message> messages) {
            messages.forEach(message -> arrivals.add(new Arrival(shard, Thread.currentThread(), from, message)));
        }

        @Override
        public void reachable(NodeId peer) {
            reachable.add(new Arrival(shard, Thread.currentThread(), peer, null));
        }

        @Override
        public void unreachable(NodeId peer) {}
    }

    @BeforeEach
    void start() throws IOException {
        log = LogCapture.of(NettyTransport.class);
        Map<NodeId, InetSocketAddress> peers = Map.of(
                A, InetSocketAddress.createUnresolved("127.0.0.1", port),
                B, InetSocketAddress.createUnresolved("127.0.0.1", nowhere));
        node = new NettyTransport(
                config, A, new Incarnation(1, 1), peers, null, Endpoint.BY_THE_JDK, new Security(null));
        node.start(IntStream.range(0, SHARDS).mapToObj(Recorder::new).toList());
    }

    @AfterEach
    void close() {
        if (!closed) {
            node.close();
        }
        log.close();
    }

    @Test
    void everyShardHearsWhatIsForItOnItsOwnLoop() throws Exception {
        for (int shard = SHARDS - 1; shard >= 0; shard--) {
            try (RawConnection b = RawConnection.to(port)) {
                assertThat(introduce(b, shard).shard()).isEqualTo(shard);
                assertThat(next(reachable)).isEqualTo(new Arrival(shard, threadOf(shard), B, null));
                b.write(messages(Endpoint.request(shard)));
                assertThat(next(arrivals)).isEqualTo(new Arrival(shard, threadOf(shard), B, Endpoint.request(shard)));
                answer(shard, Endpoint.request(7));
                Frame answered = Objects.requireNonNull(b.read(Frames.MESSAGES));
                assertThat(Frames.readMessages(answered.body())).containsExactly(Endpoint.request(7));
            }
        }
    }

    @Test
    void allShardsOfAPeerAreConnectedAtATimeAndFailAlone() throws Exception {
        try (RawConnection first = RawConnection.to(port);
                RawConnection third = RawConnection.to(port)) {
            try (RawConnection second = RawConnection.to(port)) {
                introduce(first, 0);
                introduce(second, 1);
                introduce(third, 2);
                awaitConnected(true, true, true);
            }
            awaitConnected(true, false, true);
            third.write(messages(Endpoint.request(9)));
            assertThat(next(arrivals).shard()).isEqualTo(2);
        }
        awaitConnected(false, false, false);
    }

    /** A frame may end anywhere, also in the middle of the read that brought the hello. */
    @Test
    void aConnectionThatIsHandedOverLosesNoByte() throws Exception {
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.HELLO, hello(1));
                out.writeShort(0); // half the length of what comes next
            });
            assertThat(Objects.requireNonNull(b.read()).type()).isEqualTo(Frames.WELCOME);
            b.write(out -> {
                ByteBuf frame = out.alloc().buffer();
                messages(Endpoint.request(5)).accept(frame);
                out.writeBytes(frame.skipBytes(2));
                frame.release();
            });
            assertThat(next(arrivals)).isEqualTo(new Arrival(1, threadOf(1), B, Endpoint.request(5)));
        }
    }

    @Test
    void whoTalksBeforeTheWelcomeIsShownTheDoor() throws Exception {
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.HELLO, hello(1));
                messages(Endpoint.request(5)).accept(out);
            });
            b.awaitClosed();
        }
        log.await("(something followed the hello before it was answered): the connection was closed");
        assertThat(arrivals).isEmpty();
        assertThat(reachable).isEmpty();
        try (RawConnection b = RawConnection.to(port)) {
            introduce(b, 1);
        }
    }

    @Test
    void aShardThatThereIsNotIsRefused() throws Exception {
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> {
                Frames.writeHello(out, Frames.HELLO, hello(1));
                out.setByte(out.writerIndex() - MEMBERS_BYTES - ALGORITHM_BYTES - 1, SHARDS);
            });
            b.awaitClosed();
        }
        log.await("(no shard 3 among 3): the connection was closed");
        assertThat(reachable).isEmpty();
    }

    @Test
    void aPeerWithAnotherNumberOfEventLoopsIsRefused() throws Exception {
        CellConfig four = new CellConfig("cell", List.of(A, B), Endpoint.M, 0.1, 4);
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> Frames.writeHello(out, Frames.HELLO, new Hello(four, B, A, new Incarnation(2, 2), 3)));
            Rejection why = Frames.readRejection(
                    Objects.requireNonNull(b.read(Frames.REJECT)).body());

            assertThat(why.reason()).isEqualTo(Rejection.Reason.CONFIGURATION);
            assertThat(why.text())
                    .isEqualTo("the event loops (paxoslease.event-loops) differ, 4 at 'b' but 3 at 'a': "
                            + "configure the same on every node");
            b.awaitClosed();
        }
    }

    /** Each shard finds it out for itself, and says so on its own loop. */
    @Test
    void aSecondProcessIsRefusedInEveryShard() throws Exception {
        try (RawConnection first = RawConnection.to(port)) {
            introduce(first, 1);
            try (RawConnection second = RawConnection.to(port)) {
                Hello another = new Hello(config, B, A, new Incarnation(3, 3), 1);
                second.write(out -> Frames.writeHello(out, Frames.HELLO, another));
                Frame answer = Objects.requireNonNull(second.read());
                assertThat(answer.type()).isEqualTo(Frames.REJECT);
                assertThat(Frames.readRejection(answer.body()).reason()).isEqualTo(Rejection.Reason.DUPLICATE_NODE);
                second.awaitClosed();
            }
        }
    }

    /** The time for the introduction is counted on; and silence ends a connection on the loop that it came to, too. */
    @Test
    void whoIsSilentAfterTheHandOverIsCutOff() throws Exception {
        try (RawConnection b = RawConnection.to(port)) {
            introduce(b, 2);
            b.awaitClosed();
        }
        awaitConnected(false, false, false);
    }

    /** In the end there is room for one more: nobody is counted who is not there any more. */
    @Test
    void connectionsThatCloseWhileTheyAreHandedOverLeaveNothingBehind() throws Exception {
        for (int round = 0; round < 3; round++) {
            CountDownLatch goOn = new CountDownLatch(1);
            node.loop(1).execute(() -> await(goOn));
            for (int i = 0; i < 100; i++) {
                try (RawConnection b = RawConnection.to(port)) {
                    b.write(out -> Frames.writeHello(out, Frames.HELLO, hello(1)));
                }
            }
            goOn.countDown();
            awaitConnected(false, false, false);
        }
        Eventually.until("there is room", this::isTaken);
    }

    private boolean isTaken() {
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> Frames.writeHello(out, Frames.HELLO, hello(1)));
            Frame answer = b.read();
            return answer != null && answer.type() == Frames.WELCOME;
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void aNodeClosesWhileConnectionsAreHandedOver() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        node.loop(2).execute(() -> await(goOn));
        try (RawConnection b = RawConnection.to(port)) {
            b.write(out -> Frames.writeHello(out, Frames.HELLO, hello(2)));
            Thread closing = new Thread(node::close, "closing");
            closing.start();
            goOn.countDown();
            b.awaitClosed();
            closing.join();
            closed = true;
        }
        assertThat(node.loop(2).isTerminated()).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Hello hello(int shard) {
        return new Hello(config, B, A, new Incarnation(2, 2), shard);
    }

    private Hello introduce(RawConnection b, int shard) throws IOException {
        b.write(out -> Frames.writeHello(out, Frames.HELLO, hello(shard)));
        Frame answer = Objects.requireNonNull(b.read());
        assertThat(answer.type()).isEqualTo(Frames.WELCOME);
        return Frames.readHello(answer.body());
    }

    private static Consumer<ByteBuf> messages(Message message) {
        return out -> Frames.writeMessages(out, List.of(message), 0);
    }

    private void answer(int shard, Message message) {
        node.loop(shard).execute(() -> node.of(shard).send(B, List.of(message)));
    }

    private Thread threadOf(int shard) throws Exception {
        return node.loop(shard).submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
    }

    private static Arrival next(BlockingQueue<Arrival> queue) throws InterruptedException {
        return Objects.requireNonNull(queue.poll(10, TimeUnit.SECONDS), "nothing came");
    }

    private void awaitConnected(Boolean... shards) {
        Eventually.until("each shard is connected or not", () -> IntStream.range(0, SHARDS)
                .mapToObj(shard -> node.peers(shard).get(0).connected())
                .toList()
                .equals(List.of(shards)));
    }
}
