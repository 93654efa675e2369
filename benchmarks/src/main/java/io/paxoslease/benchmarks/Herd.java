package io.paxoslease.benchmarks;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Many clients of one member, as far as it can tell: each introduces itself, pings when nothing comes, and when its connection is lost comes
 * again as a client does. When they are told to, each takes a lease and renews it, without asking other members. They share one thread: a
 * real client needs one of its own and a heap, ten thousand of which no machine has to spare.
 */
final class Herd implements AutoCloseable {

    private static final int HOSTS = 250;
    private static final int CONNECT_MILLIS = 2_000;
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LONGEST_RETRY_MILLIS = 1_000;
    private static final int MAX_DOUBLINGS = 8;
    private static final double CLIENTS_A_MILLI = 2;

    private final InetSocketAddress member;
    private final NodeId memberId;
    private final CellConfig config;
    private final @Nullable SSLContext tls;
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final AtomicInteger welcomed = new AtomicInteger();
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicLong broken = new AtomicLong();
    private final AtomicLong renewals = new AtomicLong();
    /** Those that are welcome; on the loop. */
    private final Set<HerdConversation> conversations = new HashSet<>();

    private final boolean obeys;
    private volatile boolean over;

    /**
     * @param tls null for none
     * @param obeys whether they come back over the time that the member tells them, as a client does that reaches the other members
     */
    Herd(
            CellConfig config,
            NodeId memberId,
            InetSocketAddress member,
            int count,
            @Nullable SSLContext tls,
            boolean obeys) {
        this.obeys = obeys;
        this.config = config;
        this.memberId = memberId;
        this.member = member;
        this.tls = tls;
        for (int i = 0; i < count; i++) {
            One one = new One(i);
            loop.schedule(one::dial, i / (long) CLIENTS_A_MILLI, TimeUnit.MILLISECONDS);
        }
    }

    int welcomed() {
        return welcomed.get();
    }

    /** Connections that were tried, so far. */
    long attempts() {
        return attempts.get();
    }

    /** Those of them that were made, and closed before they were welcomed. */
    long broken() {
        return broken.get();
    }

    /** Renewals of a lease that the member knows, so far. */
    long renewals() {
        return renewals.get();
    }

    /** Each that is welcome takes a lease, and renews it from now on, as long as its connection lasts. */
    void lease() {
        loop.execute(() -> conversations.forEach(HerdConversation::lease));
    }

    /** One client; on the loop. */
    final class One {

        private final Hello hello;
        private final InetSocketAddress from;
        private int failures;
        private int spreadMillis;

        private One(int number) {
            NodeId self = new NodeId("herd-" + number);
            this.hello = new Hello(
                    config, self, memberId, new Incarnation(number, 1), Versions.OURS, Hello.Role.CLIENT, "herd");
            this.from = new InetSocketAddress("127.0.1." + (2 + number % HOSTS), 0);
        }

        private void dial() {
            if (over) {
                return;
            }
            attempts.incrementAndGet();
            new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            equip(channel);
                        }
                    })
                    .connect(member, from)
                    .addListener(done -> {
                        if (!done.isSuccess()) {
                            comeAgain();
                        }
                    });
        }

        private void equip(Channel channel) {
            if (tls != null) {
                SSLEngine engine = tls.createSSLEngine(member.getHostString(), member.getPort());
                engine.setUseClientMode(true);
                SslHandler handler = new SslHandler(engine);
                handler.setHandshakeTimeoutMillis(0);
                channel.pipeline().addLast(handler);
            }
            channel.pipeline()
                    .addLast(new LengthFieldBasedFrameDecoder(Frames.MAX_FRAME + 4, 0, 4, 0, 4))
                    .addLast(new HerdConversation(this, tls == null));
        }

        Hello hello() {
            return hello;
        }

        void welcomed(HerdConversation conversation) {
            failures = 0;
            welcomed.incrementAndGet();
            conversations.add(conversation);
        }

        void lost(HerdConversation conversation, boolean wasWelcome) {
            if (wasWelcome) {
                welcomed.decrementAndGet();
                conversations.remove(conversation);
            } else {
                broken.incrementAndGet();
            }
            comeAgain();
        }

        void spreadOver(int millis) {
            spreadMillis = obeys ? millis : 0;
        }

        void renewed() {
            renewals.incrementAndGet();
        }

        private void comeAgain() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long longest = Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures, MAX_DOUBLINGS));
            long spread = (failures == 0 ? 0 : spreadMillis / 2) + random.nextLong(spreadMillis + 1L);
            failures++;
            again(Math.max(longest / 2 + random.nextLong(longest / 2 + 1), spread));
        }

        private void again(long millis) {
            if (!over) {
                loop.schedule(this::dial, millis, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Override
    public void close() {
        over = true;
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
