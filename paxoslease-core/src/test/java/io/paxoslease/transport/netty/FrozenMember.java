package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
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
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Member a of a cell of a and b, on an event loop whose time stands still until it is told to go on. It connects to no other node. */
final class FrozenMember {

    static final CellConfig CONFIG = Endpoint.config("cell", "a", "b");

    final EmbeddedChannel loop = new EmbeddedChannel();
    final TransportContext context;
    final PeerLinks links;

    FrozenMember(Transport.Receiver receiver, Security security, ClientMemory memory, ClientLimits limits) {
        loop.freezeTime();
        context = new TransportContext(
                new Identity(CONFIG, new NodeId("a"), new Incarnation(1, 1), Versions.OURS, MessageTypes.NONE),
                Map.of(),
                security,
                address -> address,
                loop.eventLoop(),
                1,
                LoggerFactory.getLogger(NettyTransport.class),
                memory);
        context.lookUps.shutdownNow();
        context.receiver(receiver);
        links = new PeerLinks(
                context,
                Map.of(new NodeId("b"), InetSocketAddress.createUnresolved("b", 1)),
                new ClientLinks(context, limits, null));
    }

    /** Its end of a connection that was made to it. */
    InboundConnection accept(Channel channel) {
        InboundConnection connection = new InboundConnection(context, links, () -> {});
        connection.equip(channel);
        return connection;
    }

    /** That channel brings the bytes, in a round of its own. */
    void read(ByteBuf bytes, EmbeddedChannel channel) {
        channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        channel.runPendingTasks();
        loop.runPendingTasks();
        channel.checkException();
    }

    /** Time goes by, for the tasks of that channel as well. */
    void goOn(long millis, EmbeddedChannel channel) {
        loop.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        loop.runPendingTasks();
        channel.runPendingTasks();
    }

    /** As a client of the application "orders" introduces itself. */
    static ByteBuf helloOfClient(String id) {
        Hello plain = Endpoint.hello(CONFIG, id, "a");
        return hello(new Hello(
                CONFIG, plain.from(), plain.to(), plain.bootId(), Versions.OURS, Hello.Role.CLIENT, "orders"));
    }

    static ByteBuf hello(Hello hello) {
        return bytes(out -> Frames.writeHello(out, Frames.HELLO, hello));
    }

    static ByteBuf frames(List<Message> messages) {
        return bytes(out -> {
            for (int next = 0; next < messages.size(); ) {
                next = Frames.writeMessages(out, messages, next);
            }
        });
    }

    static ByteBuf bytes(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        return out;
    }
}
