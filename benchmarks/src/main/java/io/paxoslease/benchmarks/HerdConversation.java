package io.paxoslease.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.transport.Frames;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a client of a {@link Herd} and the member say over one connection. On the herd's loop. */
final class HerdConversation extends SimpleChannelInboundHandler<ByteBuf> {

    private static final long HANDSHAKE_MILLIS = 3_000;
    private static final long PING_MILLIS = 8_000;
    private static final long PINGS_DIFFER_BY_MILLIS = 4_000;
    private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long RENEWAL_MILLIS = TimeUnit.NANOSECONDS.toMillis(LEASE_NANOS) / 3;

    private final Herd.One one;
    private final boolean plain;
    private boolean isWelcome;
    private boolean leases;
    private @Nullable Channel channel;

    HerdConversation(Herd.One one, boolean plain) {
        this.one = one;
        this.plain = plain;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.executor().schedule(() -> giveUp(context), HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS);
        if (plain) {
            introduce(context);
        }
        context.fireChannelActive();
    }

    private void giveUp(ChannelHandlerContext context) {
        if (!isWelcome) {
            context.channel().close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent shaken && shaken.isSuccess()) {
            introduce(context);
        }
    }

    private void introduce(ChannelHandlerContext context) {
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeHello(out, Frames.HELLO, one.hello());
        context.writeAndFlush(out);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        int type = frame.readUnsignedByte();
        if (type == Frames.WELCOME) {
            welcomed(context);
        } else if (type == Frames.MESSAGES) {
            Frames.readMessages(frame).forEach(this::heard);
        } else if (type == Frames.SPREAD) {
            one.spreadOver(Frames.readSpread(frame));
        } else if (type == Frames.PING) {
            ByteBuf out = context.alloc().ioBuffer();
            Frames.writeEmpty(out, Frames.PONG);
            context.writeAndFlush(out);
        }
    }

    private void welcomed(ChannelHandlerContext context) {
        isWelcome = true;
        one.welcomed(this);
        channel = context.channel();
        repeat(
                PING_MILLIS
                        - PINGS_DIFFER_BY_MILLIS / 2
                        + ThreadLocalRandom.current().nextLong(PINGS_DIFFER_BY_MILLIS),
                PING_MILLIS,
                this::ping);
    }

    private void repeat(long firstMillis, long millis, Runnable task) {
        Channel own = Objects.requireNonNull(channel);
        own.eventLoop()
                .schedule(
                        () -> {
                            if (own.isActive()) {
                                task.run();
                                repeat(millis, millis, task);
                            }
                        },
                        firstMillis,
                        TimeUnit.MILLISECONDS);
    }

    private void ping() {
        if (!leases) { // else something comes all the time
            send(out -> Frames.writeEmpty(out, Frames.PING));
        }
    }

    private void send(Consumer<ByteBuf> frame) {
        Channel own = Objects.requireNonNull(channel);
        ByteBuf out = own.alloc().ioBuffer();
        frame.accept(out);
        own.writeAndFlush(out);
    }

    void lease() {
        leases = true;
        Incarnation incarnation = one.hello().bootId();
        String resource = "lease of " + one.hello().from();
        long counter = System.currentTimeMillis() * 1_000;
        say(new PaxosMessage.Propose(
                resource, new Ballot(counter, incarnation), LEASE_NANOS, 1, QueueMode.NONE, counter));
        AtomicLong attempt = new AtomicLong(1);
        repeat(ThreadLocalRandom.current().nextLong(RENEWAL_MILLIS), RENEWAL_MILLIS, () -> {
            boolean isFirst = attempt.incrementAndGet() == 2;
            say(new PaxosMessage.Extend(
                    incarnation,
                    attempt.get(),
                    LEASE_NANOS,
                    1,
                    isFirst ? List.of(new PaxosMessage.Extension(resource, counter)) : List.of()));
        });
    }

    private void say(Message message) {
        send(out -> Frames.writeMessages(out, List.of(message), 0));
    }

    private void heard(Message message) {
        if (message instanceof PaxosMessage.Extended extended
                && extended.missing().isEmpty()) {
            one.renewed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        one.lost(this, isWelcome);
    }
}
