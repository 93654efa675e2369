package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * One production connection of node a without a network: bytes go in, in pieces, and everything that comes of them is
 * recorded. Whatever it allocates is counted, and its clocks stand still until they are told to go on.
 */
final class FuzzedConnection implements Transport.Receiver {

    static final NodeId A = new NodeId("a");
    static final NodeId B = new NodeId("b");
    static final CellConfig CONFIG = Endpoint.config("cell", "a", "b", "c");

    /** So many reads pass before the frame decoder moves what is left to the front of its buffer. */
    private static final int READS_KEPT = 16;

    private static final int HANDSHAKE_SECONDS = 3;

    /** What came of the bytes, however they were cut. */
    record Outcome(List<String> events, String answered, boolean open) {}

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final ReadsFirst channel = new ReadsFirst();
    private final Connection connection;
    private final List<String> events = new ArrayList<>();
    private final ByteArrayOutputStream answered = new ByteArrayOutputStream();

    /** Which end of a connection this is. */
    enum End {
        /** A member's, of a connection that was made to it. */
        ACCEPTED,
        /** A member's, of a connection that it made. */
        MADE,
        /** A client's, that it made to a contact point. */
        CONTACT
    }

    FuzzedConnection(End end) {
        Map<NodeId, InetSocketAddress> others = new LinkedHashMap<>();
        others.put(B, InetSocketAddress.createUnresolved("b", 1));
        others.put(new NodeId("c"), InetSocketAddress.createUnresolved("c", 1));
        Identity identity = end == End.CONTACT
                ? new Identity(
                        CONFIG, A, new Incarnation(1, 1), Versions.OURS, Hello.Role.CLIENT, "orders", MessageTypes.NONE)
                : new Identity(CONFIG, A, new Incarnation(1, 1), Versions.OURS, MessageTypes.NONE);
        TransportContext context = new TransportContext(
                identity,
                others,
                new Security(null),
                address -> address,
                loop.eventLoop(),
                1,
                LoggerFactory.getLogger(NettyTransport.class),
                ClientMemory.ofThisProcess());
        context.lookUps.shutdownNow(); // so that it makes no connection
        context.receiver(this);
        PeerLinks links = new PeerLinks(context, others, new ClientLinks(context, new ClientLimits(10, 10), null));
        loop.freezeTime();
        channel.freezeTime();
        channel.config().setAllocator(allocator);
        connection = switch (end) {
            case ACCEPTED -> new InboundConnection(context, links, () -> {});
            case MADE -> new OutboundConnection(context, links.peer(B));
            case CONTACT ->
                new ContactConnection(
                        context, InetSocketAddress.createUnresolved("b", 1), "b:1", new CompletableFuture<>());
        };
        connection.equip(channel);
        if (end != End.ACCEPTED) {
            channel.pipeline().fireChannelActive();
        }
        takeAnswers();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    boolean isReady() {
        return connection.isReady();
    }

    /** @throws RuntimeException what reached the end of the pipeline */
    void feed(byte[] bytes, List<Integer> cuts) {
        int from = 0;
        int largest = 0;
        for (int to : cuts) {
            if (channel.isOpen()) {
                read(allocator.buffer(Math.max(1, to - from)).writeBytes(bytes, from, to - from));
                largest = Math.max(largest, to - from);
                takeAnswers();
                assertBufferIsBounded(largest);
            }
            from = to;
        }
        assertThat(channel.<Object>readInbound()).as("what nobody handled").isNull();
    }

    private void read(ByteBuf bytes) {
        channel.reading = true;
        channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        channel.reading = false;
        channel.runPendingTasks();
        channel.checkException();
    }

    /** As with a socket: a read is completed before a close that it brought about takes its course. */
    private static final class ReadsFirst extends EmbeddedChannel {

        private boolean reading;

        @Override
        public void runPendingTasks() {
            if (!reading) {
                super.runPendingTasks();
            }
        }
    }

    /**
     * A frame that is not complete, and the pieces since the buffer was last tidied; a buffer doubles when it grows, and
     * stands beside its old self meanwhile.
     */
    private void assertBufferIsBounded(int piece) {
        assertThat(used()).isLessThanOrEqualTo(2L * (Frames.MAX_FRAME + 4 + (READS_KEPT + 1L) * piece));
    }

    private long used() {
        return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
    }

    private void takeAnswers() {
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            byte[] bytes = new byte[out.readableBytes()];
            out.readBytes(bytes);
            answered.writeBytes(bytes);
            out.release();
        }
    }

    /** Who has not introduced himself in time is shown the door. */
    void letTheHandshakeTimeOut() {
        loop.advanceTimeBy(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
        loop.runScheduledPendingTasks();
    }

    Outcome outcome() {
        return new Outcome(List.copyOf(events), HexFormat.of().formatHex(answered.toByteArray()), channel.isOpen());
    }

    /** Closes what is open; nothing may be left of all that was allocated. */
    void end() {
        channel.finishAndReleaseAll();
        loop.finishAndReleaseAll();
        assertThat(used()).as("bytes that were never released").isZero();
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        assertThat(connection.isReady() || !channel.isOpen()).isTrue();
        for (Message message : messages) {
            events.add("%s %s %08x".formatted(from, message.getClass().getSimpleName(), message.hashCode()));
        }
    }

    @Override
    public void reachable(NodeId peer) {
        events.add("reachable " + peer);
    }

    @Override
    public void unreachable(NodeId peer) {
        events.add("unreachable " + peer);
    }

    /** The bytes in one piece. */
    static List<Integer> whole(byte[] bytes) {
        return Arrays.asList(bytes.length);
    }
}
