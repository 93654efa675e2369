package io.paxoslease.benchmarks;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * The floor: 64 bytes to an echo over loopback and back, with Netty, one event loop for each side, and the sockets that nodes
 * use too. No protocol over TCP that asks another process can be faster than this.
 */
public final class TcpRoundTrip implements AutoCloseable {

    private static final int BYTES = 64;

    /** What the client's event loop does with an echo. */
    private interface Pong {
        void received();
    }

    private final MultiThreadIoEventLoopGroup servers;
    private final MultiThreadIoEventLoopGroup clients;
    private final ByteBuf payload = Unpooled.directBuffer(BYTES).writeZero(BYTES);
    private final Channel client;
    private volatile Pong pong = () -> {};

    /** Opens both ends. */
    public TcpRoundTrip() {
        this(Epoll.isAvailable());
    }

    /** @param epoll whether over Linux' own sockets, else over those of the JDK */
    TcpRoundTrip(boolean epoll) {
        IoHandlerFactory handler = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        servers = new MultiThreadIoEventLoopGroup(1, handler);
        clients = new MultiThreadIoEventLoopGroup(1, handler);
        Channel server = new ServerBootstrap()
                .group(servers)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(framed(Echo::new))
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        client = new Bootstrap()
                .group(clients)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(framed(Receiver::new))
                .connect(server.localAddress())
                .syncUninterruptibly()
                .channel();
    }

    /** Which sockets these are. */
    public static String sockets() {
        return Epoll.isAvailable() ? "epoll" : "NIO";
    }

    private static ChannelHandler framed(Supplier<ChannelHandler> handler) {
        return new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new FixedLengthFrameDecoder(BYTES), handler.get());
            }
        };
    }

    /** One round trip from the calling thread and back to it, the way a caller waits for a lease. */
    public void fromCaller() throws InterruptedException {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        pong = () -> answer.complete(null);
        ping();
        try {
            answer.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Round trips that begin and end on the event loop, one after the other, for the given time. */
    void onLoop(Histogram histogram, long nanos) throws InterruptedException {
        CompletableFuture<Void> over = new CompletableFuture<>();
        client.eventLoop().execute(() -> {
            pong = new Chain(histogram, System.nanoTime() + nanos, over);
            ping();
        });
        try {
            over.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ping() {
        client.writeAndFlush(payload.retainedDuplicate(), client.voidPromise());
    }

    @Override
    public void close() {
        clients.shutdownGracefully().syncUninterruptibly();
        servers.shutdownGracefully().syncUninterruptibly();
        payload.release();
    }

    /** Each echo is recorded and answered with the next ping. */
    private final class Chain implements Pong {

        private final Histogram histogram;
        private final long end;
        private final CompletableFuture<Void> over;
        private long sent = System.nanoTime();

        Chain(Histogram histogram, long end, CompletableFuture<Void> over) {
            this.histogram = histogram;
            this.end = end;
            this.over = over;
        }

        @Override
        public void received() {
            long now = System.nanoTime();
            histogram.recordValue(now - sent);
            if (now - end < 0) {
                sent = now;
                ping();
            } else {
                over.complete(null);
            }
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message, context.voidPromise());
        }
    }

    private final class Receiver extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            pong.received();
        }
    }
}
