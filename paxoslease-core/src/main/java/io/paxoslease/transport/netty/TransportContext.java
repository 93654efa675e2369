package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Transport.Receiver;
import io.paxoslease.transport.Versions;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** What all connections of a node share. Everything happens on its event loop. */
final class TransportContext {

    /** A peer that leaves this much unread is slow: what is sent to it is dropped until it has caught up, save releases. */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1_024, 1_024 * 1_024);

    private static final int TLS_THREADS = 2;
    private static final int IDLE_SECONDS = 10;
    /** More than a cell has members. */
    private static final int MAX_MET = 128;

    final Sockets sockets = Sockets.BEST;
    /** What this node says of itself: the members may change while it runs. */
    Identity identity;

    final MemberAddresses addresses;

    private @Nullable MemberChangeListener changes;

    final Security security;
    final Admission admission;
    final EventLoop loop;
    final RateLimitedLog log;
    final UnaryOperator<InetSocketAddress> resolver;
    /** Name service look-ups may take seconds: never on the event loop. */
    final ExecutorService lookUps;

    /** Key exchanges and the validation of certificates cost milliseconds: never on the event loop. */
    final ThreadPoolExecutor tlsTasks;

    final PeerBoots boots;

    final ClientMemory clientMemory;

    final ClientTurns clientTurns;

    /** All channels, also those that are still connecting. */
    final ChannelGroup open;

    /** Nodes that run another configuration, met since the peers were last told. */
    private final Map<NodeId, Hello> met = new LinkedHashMap<>();

    private @Nullable Receiver receiver;
    private boolean closing;
    /** Whether this node, a client, reaches no majority of the members, so that it dials without regard to other clients. */
    boolean urgent;
    /** The highest generation that the node knows to be sealed. */
    private int knownSealed;
    /** The highest one whose list decides alone, as a majority of its members knows. */
    private int sealed;

    TransportContext(
            Identity identity,
            Map<NodeId, InetSocketAddress> members,
            Security security,
            UnaryOperator<InetSocketAddress> resolver,
            EventLoop loop,
            int maxKeyExchanges,
            Logger logger,
            ClientMemory clientMemory) {
        this.clientMemory = clientMemory;
        this.identity = identity;
        this.addresses = new MemberAddresses(members);
        this.knownSealed = identity.config().sealed();
        this.sealed = knownSealed;
        this.security = security;
        this.open = new DefaultChannelGroup(loop, true);
        this.admission = new Admission(identity.config(), identity.self());
        this.loop = loop;
        this.clientTurns = new ClientTurns(loop);
        this.boots = new PeerBoots(loop.ticker()::nanoTime);
        this.log = new RateLimitedLog(logger, loop.ticker()::nanoTime);
        this.resolver = resolver;
        this.lookUps = Executors.newCachedThreadPool(
                new DefaultThreadFactory("paxoslease-" + identity.self() + "-lookup", true));
        this.tlsTasks = new ThreadPoolExecutor(
                TLS_THREADS,
                TLS_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(maxKeyExchanges),
                new DefaultThreadFactory("paxoslease-" + identity.self() + "-tls", true));
        tlsTasks.allowCoreThreadTimeOut(true);
    }

    void receiver(Receiver node) {
        this.receiver = node;
    }

    Receiver receiver() {
        return Objects.requireNonNull(receiver, "not started");
    }

    void changes(MemberChangeListener ofMembers) {
        this.changes = ofMembers;
    }

    MemberChangeListener changes() {
        return Objects.requireNonNull(changes, "no members");
    }

    boolean isClosing() {
        return closing;
    }

    void knowsSeal(int generation) {
        knownSealed = Math.max(knownSealed, generation);
    }

    /** This node's own fault, and not that of a peer: it takes no further part. By any thread. */
    void failed(Throwable fault) {
        Receiver node = receiver;
        if (node != null) {
            node.failed(fault);
        }
    }

    /** For the loop: what the code throws, such as for want of memory for a timer, would leave a peer without its connection for ever. */
    Runnable guarded(Runnable code) {
        return () -> {
            try {
                code.run();
            } catch (RuntimeException | Error fault) {
                failed(fault);
            }
        };
    }

    void sealed(int generation) {
        knowsSeal(generation);
        sealed = Math.max(sealed, generation);
    }

    boolean isSealed(Generation generation) {
        return generation.number() <= sealed;
    }

    /** From now on. Connections that are there stay as they are. */
    void runs(CellConfig config) {
        identity = identity.running(config);
        admission.changed(config);
    }

    Hello helloTo(NodeId peer) {
        return identity.helloTo(peer).whenSealed(knownSealed);
    }

    /** The first thing that this node says to that peer. A client is untrusted, and tells members nothing of each other. */
    Hello introduction(NodeId peer) {
        Hello hello = helloTo(peer);
        return identity.isClient() ? hello : hello.afterMeeting(boots.last(peer));
    }

    /** The answer to what a peer has said first, with the version that both speak. */
    Hello welcome(Hello peer) {
        return helloTo(peer.from())
                .in(Versions.only(identity.versions().agreedWith(peer.versions())))
                .afterMeeting(boots.last(peer.from(), peer.bootId()));
    }

    /** A0: whether a member has met another process with this node's id. */
    void heardOfLastBoot(Hello member) {
        Hello.LastBoot last = member.lastBoot();
        if (last != null && !last.bootId().equals(identity.bootId()) && !identity.isClient()) {
            receiver().otherLife(member.from(), last.nanosAgo());
        }
    }

    void gone(NodeId member) {
        boots.disconnected(member);
        receiver().unreachable(member);
    }

    /** A client is gone. A member may have its id since the members have changed: that is another node. */
    void clientGone(NodeId client) {
        if (!boots.isConnected(client)) {
            receiver().unreachable(client);
        }
    }

    void introduced(Hello member) {
        changes().isConnected(member.from());
        boots.connected(member.from(), member.bootId());
        receiver().generationSeen(member.from(), member.config().generation(), member.sealed());
        receiver().reachable(member.from());
    }

    /**
     * A node of this cell that runs another configuration was met: this node hears of it at once, and the peers when they are told next. Its
     * certificate has been judged. A client keeps it to itself: it has no acceptor that it could concern, and members hear of it from members
     * only.
     */
    void met(Hello other) {
        if (!identity.isClient() && heardOf(other) && met.size() < MAX_MET) {
            met.put(other.from(), other);
        }
    }

    /** The same from a peer that has met it, and tells every other one itself. */
    boolean heardOf(Hello other) {
        String difference = admission.difference(other);
        if (difference != null && !closing) {
            receiver().otherConfiguration(other.from(), other.config(), difference, admission.isSealed(other));
        }
        return difference != null;
    }

    /** The nodes that were met since the last call. */
    List<Hello> takeMet() {
        List<Hello> all = List.copyOf(met.values());
        met.clear();
        return all;
    }

    Rejection explained(Rejection rejection, NodeId refused) {
        return rejection.isOfConfiguration()
                ? new Rejection(
                        rejection.reason(),
                        rejection.text(),
                        new Rejection.Refuser(helloTo(refused), receiver().serves()))
                : rejection;
    }

    /** Half-closes every connection, so that what was written arrives. */
    void halfClose() {
        closing = true;
        endThreads();
        for (var channel : open) {
            if (channel instanceof SocketChannel socket && socket.isActive()) {
                socket.shutdownOutput();
            } else {
                channel.close();
            }
        }
    }

    /** Closes what is still open, one after the other: what there is no memory for is closed by the next call. */
    void endOneByOne() {
        closing = true;
        for (Channel channel : open) {
            ChannelHandlerContext first = channel.pipeline().firstContext();
            if (first == null) {
                channel.close();
            } else {
                first.close(); // without a word of TLS, which takes time
            }
        }
    }

    /** All but the event loop. Any thread. */
    void endThreads() {
        lookUps.shutdownNow();
        tlsTasks.shutdown();
    }

    /** Closes what is still open. A loop that is shut down first may never do that, nor release what waits to be sent. */
    void end() {
        closing = true;
        open.close();
    }
}
