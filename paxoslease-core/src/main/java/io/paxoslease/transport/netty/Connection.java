package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.concurrent.Future;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.UnsupportedVersionException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection, from its handshake on. Bytes that are no frame of the protocol close it. */
abstract class Connection extends SimpleChannelInboundHandler<ByteBuf> {

    private static final Logger log = LoggerFactory.getLogger(NettyTransport.class);
    private static final long NOT_PINGED = -1;
    /** Before the silence ends the connection: an answer is dropped when the other side cannot send. */
    private static final long LOST_NANOS = 2_500_000_000L;

    final Links links;

    private @Nullable Channel channel;
    private @Nullable NodeId peer;
    private List<Message> inbox = new ArrayList<>();
    private final @Nullable TlsSetup tls;
    private boolean broken;
    private boolean refused;
    private @Nullable ConnectionRefusal refusal;
    private long pingedAtNanos = NOT_PINGED;
    private @Nullable Future<?> watch;

    Connection(Links links) {
        this.links = links;
        this.tls = links.security.tls();
    }

    /** The set-up that it was made with; null without TLS. */
    @Nullable
    TlsSetup tls() {
        return tls;
    }

    /** A frame that came before the handshake was complete. */
    abstract void handshake(ChannelHandlerContext context, int type, ByteBuf body);

    /** The connection is of no use; the sentence says why. */
    abstract void refused(ChannelHandlerContext context, String why);

    /** The other end, and that it is refused, for a sentence that goes on with why. */
    abstract String refusing(ChannelHandlerContext context);

    /** The TLS handshake is complete. */
    void secured(ChannelHandlerContext context) {}

    /** The answer to a ping took that long. */
    abstract void answered(long nanos);

    /** Which host this node called; null when it was called. */
    @Nullable
    String calledHost() {
        return null;
    }

    /** Why it was refused, by either side; null when it was not. */
    @Nullable
    ConnectionRefusal refusal() {
        return refusal;
    }

    /** Counts it, once, and notes why. */
    final void refuse(ChannelHandlerContext context, ConnectionRefusal reason, String why) {
        if (!refused) {
            refused = true;
            refusal = reason;
            links.security.count(reason);
            refused(context, why);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    Channel channel() {
        return Objects.requireNonNull(channel, "not in a pipeline yet");
    }

    void close() {
        channel().close();
    }

    /** Whether the handshake is complete and the connection open. */
    boolean isReady() {
        return peer != null && channel().isActive();
    }

    /** Whether the handshake has been completed. */
    boolean introduced() {
        return peer != null;
    }

    void readyFor(NodeId id) {
        peer = id;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        if (broken) {
            return; // what follows a fault in the same read is not heard
        }
        if (!frame.isReadable()) {
            throw new MalformedFrameException("a frame is empty");
        }
        int type = frame.readUnsignedByte();
        if (peer == null) {
            handshake(context, type, frame);
        } else {
            switch (type) {
                case Frames.MESSAGES -> inbox.addAll(Frames.readMessages(frame));
                case Frames.PING -> {
                    checkEmpty(type, frame);
                    sendEmpty(context, Frames.PONG);
                }
                case Frames.PONG -> {
                    checkEmpty(type, frame);
                    ponged();
                }
                case Frames.OTHER -> links.heardOf(Frames.readHello(frame));
                default -> throw new MalformedFrameException("unknown frame type " + type);
            }
        }
    }

    private static void checkEmpty(int type, ByteBuf body) {
        if (body.isReadable()) {
            throw new MalformedFrameException("a frame of type " + type + " has a body");
        }
    }

    /** Everything that one read brought is handled in one batch, and answered with one flush. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (!inbox.isEmpty() && peer != null) {
            List<Message> batch = inbox;
            inbox = new ArrayList<>();
            links.receiver().received(peer, batch);
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof IdleStateEvent && isReady()) {
            context.close(); // nothing came for long
        } else if (event instanceof SslHandshakeCompletionEvent shaken) {
            if (shaken.isSuccess()) {
                TlsSetup.completed(context.pipeline().get(SslHandler.class));
                secured(context);
            } else {
                broken = true;
                tlsFailed(context, shaken.cause());
            }
        }
        super.userEventTriggered(context, event);
    }

    private void tlsFailed(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof RejectedExecutionException) {
            keyExchangeRejected(context);
            return;
        }
        TlsFault fault = TlsFault.of(cause, calledHost());
        log.debug("TLS with {} failed", remoteHost(context), cause);
        if (fault != null) {
            refuse(context, fault.reason(), refusing(context) + fault.text());
        }
        context.close();
    }

    /** Measures how long an answer takes, unless one is still owed. */
    void ping() {
        ChannelHandlerContext context = channel().pipeline().context(this);
        long now = links.loop.ticker().nanoTime();
        boolean owed = pingedAtNanos != NOT_PINGED && now - pingedAtNanos < LOST_NANOS;
        if (isReady() && context != null && !owed && sendEmpty(context, Frames.PING)) {
            pingedAtNanos = now;
        }
    }

    private void ponged() {
        if (pingedAtNanos != NOT_PINGED) {
            answered(Math.max(0, links.loop.ticker().nanoTime() - pingedAtNanos));
            pingedAtNanos = NOT_PINGED;
        }
    }

    /** Gives it that long to introduce itself. */
    void watch(long millis) {
        watch = links.loop.schedule(this::timedOut, millis, TimeUnit.MILLISECONDS);
    }

    void unwatch() {
        if (watch != null) {
            watch.cancel(false);
        }
    }

    private void timedOut() {
        if (!channel().isOpen() || isReady()) {
            return;
        }
        giveUp(
                ConnectionRefusal.HANDSHAKE_TIMEOUT,
                "it did not introduce itself within %d ms".formatted(Links.HANDSHAKE_MILLIS));
    }

    void sendsTooMuch() {
        giveUp(
                ConnectionRefusal.MALFORMED,
                "it sent more than %d bytes without introducing itself".formatted(HandshakeBytes.MAX_BYTES));
    }

    void giveUp(ConnectionRefusal reason, String why) {
        ChannelHandlerContext context = channel().pipeline().context(this);
        if (context != null && channel().isOpen()) {
            refuse(context, reason, refusing(context) + why);
        }
        closeAtOnce();
    }

    /** TLS would first wait for its own tasks, and so might keep the place of somebody who was sent away for seconds. */
    private void closeAtOnce() {
        ChannelHandlerContext first = channel().pipeline().firstContext();
        if (first == null) {
            channel().close();
        } else {
            first.close();
        }
    }

    /** Why the certificate of the node at the other end is not that node's; null when it is, or need not be. */
    @Nullable
    Rejection judgeCertificate(ChannelHandlerContext context, NodeId id) {
        SslHandler handler = context.pipeline().get(SslHandler.class);
        return tls == null || handler == null || !tls.verifiesNodeIds() ? null : links.judgeCertificate(handler, id);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        broken = true;
        Throwable reason = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (reason instanceof UnsupportedVersionException) {
            reject(context, new Rejection(Rejection.Reason.VERSION, String.valueOf(reason.getMessage())));
        } else if (reason instanceof TooLongFrameException && looksLikeTls(context)) {
            giveUp(
                    ConnectionRefusal.UNEXPECTED_TLS,
                    "it speaks TLS, and this node does not: set up TLS on every node of the cell or on none"
                            + " (paxoslease.ssl.bundle)");
        } else if (reason instanceof MalformedFrameException || reason instanceof TooLongFrameException) {
            refuse(
                    context,
                    ConnectionRefusal.MALFORMED,
                    "%s sent something that is no PaxosLease frame (%s): the connection was closed"
                            .formatted(
                                    remoteHost(context),
                                    reason instanceof TooLongFrameException
                                            ? "longer than " + Frames.MAX_FRAME + " bytes"
                                            : reason.getMessage()));
            context.close();
        } else if (TlsFault.isTls(cause)) {
            tlsFailed(context, cause);
        } else if (reason instanceof IOException) {
            context.close();
        } else if (reason instanceof RejectedExecutionException) {
            keyExchangeRejected(context);
        } else {
            refuse(
                    context,
                    ConnectionRefusal.FAULT,
                    "the connection with %s was closed after a fault: %s"
                            .formatted(remoteHost(context), Printable.text(reason)));
            context.close();
        }
    }

    private void keyExchangeRejected(ChannelHandlerContext context) {
        if (links.isClosing()) {
            context.close();
        } else {
            giveUp(ConnectionRefusal.TOO_MANY_CONNECTIONS, "too many key exchanges wait: it may try again");
        }
    }

    private static boolean looksLikeTls(ChannelHandlerContext context) {
        HandshakeBytes handshake = context.pipeline().get(HandshakeBytes.class);
        return handshake != null
                && handshake.looksLikeTls()
                && context.pipeline().get(SslHandler.class) == null;
    }

    void sendHello(ChannelHandlerContext context, int type, Hello hello) {
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeHello(out, type, hello);
        context.writeAndFlush(out);
    }

    /** Tells the other side why, says so here, and closes. */
    void reject(ChannelHandlerContext context, Rejection rejection) {
        refuse(context, Refusals.of(rejection.reason()), refusing(context) + rejection.text());
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeRejection(out, rejection);
        context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    static String remoteHost(ChannelHandlerContext context) {
        return hostOf(context.channel());
    }

    static String hostOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : String.valueOf(channel.remoteAddress());
    }

    private static boolean sendEmpty(ChannelHandlerContext context, int type) {
        if (!context.channel().isWritable()) {
            return false;
        }
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeEmpty(out, type);
        context.writeAndFlush(out, context.voidPromise());
        return true;
    }
}
