package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A node's links to all other members. Everything happens on its event loop, save {@link #states()}. */
final class PeerLinks {

    private static final int TICK_SECONDS = 1;

    private final TransportContext transport;
    private final Map<NodeId, PeerLink> links = new LinkedHashMap<>();
    final ClientLinks clients;
    private int ticks;

    PeerLinks(TransportContext transport, Map<NodeId, InetSocketAddress> others, ClientLinks clients) {
        this.transport = transport;
        this.clients = clients;
        others.forEach((id, address) -> links.put(id, new PeerLink(transport, id, address)));
    }

    void connectAll() {
        links.values().forEach(PeerLink::connect);
        transport.loop.scheduleAtFixedRate(this::tick, TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
    }

    /** One peer's connections a second are brought up to the TLS set-up of now. */
    private void tick() {
        if (transport.isClosing()) {
            return;
        }
        List<PeerLink> all = List.copyOf(links.values());
        hurryWithoutMajority(all);
        List<Hello> met = transport.takeMet();
        long graceSeconds = Math.max(
                transport.security.grace().toSeconds(), 3L * TICK_SECONDS * all.size()); // every peer has its turns
        for (PeerLink link : all) {
            guard(link, () -> link.tick(graceSeconds));
            guard(link, () -> met.forEach(link::tellOf));
        }
        clients.tick();
        if (!all.isEmpty()) {
            PeerLink next = all.get(ticks++ % all.size());
            guard(next, next::renew);
        }
    }

    private void hurryWithoutMajority(List<PeerLink> all) {
        long connected = all.stream().filter(each -> each.state().connected()).count();
        transport.urgent = transport.identity.isClient() && connected < all.size() / 2 + 1;
        if (transport.urgent) {
            all.forEach(each -> guard(each, each.dialer::hurry));
        }
    }

    /** A fault with one peer, such as no memory for a ping, must not end the ticks for all. */
    private void guard(PeerLink link, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            transport.log.warn(
                    link.id.name(),
                    ConnectionRefusal.FAULT,
                    "the connection with peer '%s' could not be looked after (%s); trying again"
                            .formatted(link.id, failure));
        }
    }

    PeerLink peer(NodeId id) {
        return Objects.requireNonNull(links.get(id), "no such peer");
    }

    /** Answers that leave together with requests take their way: one packet less, and one less to read for the peer. */
    void send(NodeId to, List<Message> messages) {
        PeerLink link = links.get(to);
        if (link != null) {
            Channel forRequests = asks(messages) ? link.channelForRequests() : null;
            boolean takesThem = forRequests != null && forRequests.isWritable();
            write(takesThem ? forRequests : link.channelForAnswers(), messages);
        } else {
            clients.send(to, messages);
        }
    }

    private static boolean asks(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof PaxosMessage.Request) {
                return true;
            }
        }
        return false;
    }

    static void write(@Nullable Channel channel, List<Message> messages) {
        if (channel == null || !channel.isWritable()) {
            return;
        }
        int next = 0;
        while (next < messages.size()) {
            ByteBuf frame = channel.alloc().ioBuffer();
            next = Frames.writeMessages(frame, messages, next);
            channel.write(frame, channel.voidPromise());
        }
        channel.flush();
    }

    /** Any thread. */
    List<PeerState> states() {
        return links.values().stream().map(PeerLink::state).toList();
    }
}
