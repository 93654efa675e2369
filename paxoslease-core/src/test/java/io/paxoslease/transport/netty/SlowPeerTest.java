package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Peer b completes the handshake and then reads nothing any more. */
class SlowPeerTest {

    /** The high-water mark and one batch. */
    private static final long BOUND = 2 * 1_024 * 1_024;

    private static final NodeId B = new NodeId("b");

    private final CellConfig config = Endpoint.config("cell", "a", "b", "c");
    private final int portB = FreePorts.next();
    private final BlockingQueue<NodeId> heard = new LinkedBlockingQueue<>();
    private final List<Message> batch =
            LongStream.range(0, 1_000).mapToObj(Endpoint::request).toList();

    @Test
    void whatASlowPeerIsSentIsDroppedAndTheOthersAreServed() throws IOException, InterruptedException {
        Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", portB, "c", FreePorts.next());
        try (ServerSocket server = RawConnection.listen(portB);
                Endpoint a = Endpoint.start(config, "a", ports);
                RawConnection b = welcomed(server);
                Endpoint c = Endpoint.start(config, "c", ports)) {
            a.awaitConnected("b");
            a.awaitConnected("c");
            c.awaitConnected("a");
            for (int i = 0; i < 500; i++) {
                a.send("b", batch);
                a.send("c", Endpoint.request(i));
            }
            for (int i = 0; i < 500; i++) {
                assertThat(Objects.requireNonNull(c.next()).message()).isEqualTo(Endpoint.request(i));
            }
            b.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(1)), 0));
            assertThat(Objects.requireNonNull(a.next()).from()).isEqualTo(B);
        }
    }

    @Test
    void aSlowPeerThatReadsAgainIsServedAgain() throws IOException {
        Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", portB, "c", FreePorts.next());
        try (ServerSocket server = RawConnection.listen(portB);
                Endpoint a = Endpoint.start(config, "a", ports);
                RawConnection b = welcomed(server)) {
            a.awaitConnected("b");
            for (int i = 0; i < 500; i++) {
                a.send("b", batch);
            }
            Message late = Endpoint.request(1_000_000);
            boolean arrived = false;
            while (!arrived) {
                a.send("b", late);
                Frame frame = Objects.requireNonNull(b.read(Frames.MESSAGES));
                arrived = Frames.readMessages(frame.body()).contains(late);
            }
        }
    }

    @Test
    void whatWaitsToBeSentIsBounded() throws IOException, InterruptedException, ExecutionException {
        withChannelToB((loop, links, b, channel) -> {
            for (int i = 0; i < 200; i++) {
                loop.submit(() -> links.send(B, batch)).get();
                assertThat(pending(loop, channel)).isLessThan(BOUND);
            }
            assertThat(loop.submit(channel::isWritable).get()).isFalse();
        });
    }

    /** A peer that talks but does not listen: its pings must not pile up answers. */
    @Test
    void theAnswersToPingsAreBounded() throws IOException, InterruptedException, ExecutionException {
        byte[] pings = new byte[5 * 50_000];
        for (int i = 0; i < pings.length; i += 5) {
            pings[i + 3] = 1;
            pings[i + 4] = Frames.PING;
        }
        withChannelToB((loop, links, b, channel) -> {
            while (channel.isWritable()) {
                loop.submit(() -> links.send(B, batch)).get();
            }
            b.write(pings);
            b.write(out -> Frames.writeMessages(out, List.of(Endpoint.request(1)), 0));

            assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo(B);
            assertThat(pending(loop, channel)).isLessThan(BOUND);
        });
    }

    private interface Check {
        void run(EventLoop loop, PeerLinks links, RawConnection b, Channel channel)
                throws IOException, InterruptedException, ExecutionException;
    }

    private void withChannelToB(Check check) throws IOException, InterruptedException, ExecutionException {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Sockets.BEST.handler());
        try (ServerSocket server = RawConnection.listen(portB)) {
            EventLoop loop = group.next();
            TransportContext context = new TransportContext(
                    new Identity(config, new NodeId("a"), Endpoint.newBootId(), Versions.OURS, MessageTypes.NONE),
                    Map.of(),
                    new Security(null),
                    Endpoint.BY_THE_JDK,
                    loop,
                    1,
                    LoggerFactory.getLogger(NettyTransport.class),
                    ClientMemory.ofThisProcess());
            context.receiver(new Ear());
            PeerLinks links = new PeerLinks(
                    context,
                    Map.of(B, InetSocketAddress.createUnresolved("127.0.0.1", portB)),
                    new ClientLinks(context, ClientLimits.NONE, "no clients"));
            loop.execute(links::connectAll);
            try (RawConnection b = welcomed(server)) {
                Eventually.until(
                        "b is connected", () -> links.states().iterator().next().connected());
                check.run(
                        loop,
                        links,
                        b,
                        on(loop, () -> Objects.requireNonNull(links.peer(B).channelForRequests())));
            }
            context.lookUps.shutdownNow();
            loop.submit(context::end).awaitUninterruptibly(); // what waits to be sent is released
        } finally {
            group.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }

    private RawConnection welcomed(ServerSocket server) throws IOException {
        RawConnection b = RawConnection.acceptedBy(server);
        assertThat(b.read(Frames.HELLO)).isNotNull();
        b.write(out -> Frames.writeHello(out, Frames.WELCOME, Endpoint.hello(config, "b", "a")));
        return b;
    }

    private static long pending(EventLoop loop, Channel channel) throws InterruptedException, ExecutionException {
        return on(loop, () -> {
            var buffer = channel.unsafe().outboundBuffer();
            return buffer == null ? 0L : buffer.totalPendingWriteBytes();
        });
    }

    private static <T> T on(EventLoop loop, Callable<T> code) throws InterruptedException, ExecutionException {
        return loop.submit(code).get();
    }

    private final class Ear implements Transport.Receiver {

        @Override
        public void received(NodeId from, List<Message> messages) {
            heard.add(from);
        }

        @Override
        public void reachable(NodeId peer) {}

        @Override
        public void unreachable(NodeId peer) {}
    }
}
