package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.timeout.IdleStateEvent;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
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
import org.jspecify.annotations.Nullable;

/** One connection, from its handshake on. Bytes that are no frame of the protocol close it. */
abstract class Connection extends SimpleChannelInboundHandler<ByteBuf> {

    final Links links;
    private @Nullable Channel channel;
    private @Nullable NodeId peer;
    private List<Message> inbox = new ArrayList<>();
    private boolean broken;

    Connection(Links links) {
        this.links = links;
    }

    /** A frame that came before the handshake was complete. */
    abstract void handshake(ChannelHandlerContext context, int type, ByteBuf body);

    /** The connection is of no use; the sentence says why. */
    abstract void refused(ChannelHandlerContext context, String why);

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
                case Frames.PING -> sendEmpty(context, Frames.PONG);
                case Frames.PONG -> {}
                default -> throw new MalformedFrameException("unknown frame type " + type);
            }
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
        if (event instanceof IdleStateEvent idle && isReady()) {
            switch (idle.state()) {
                case READER_IDLE -> context.close();
                case WRITER_IDLE -> sendEmpty(context, Frames.PING);
                case ALL_IDLE -> {}
            }
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        broken = true;
        Throwable reason = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (reason instanceof UnsupportedVersionException) {
            reject(context, new Rejection(Rejection.Reason.VERSION, String.valueOf(reason.getMessage())));
        } else if (reason instanceof MalformedFrameException || reason instanceof TooLongFrameException) {
            refused(
                    context,
                    "%s sent something that is no PaxosLease frame (%s): the connection was closed"
                            .formatted(remoteHost(context), reason.getMessage()));
            context.close();
        } else if (reason instanceof IOException) {
            context.close();
        } else {
            refused(
                    context,
                    "the connection with %s was closed after a fault: %s".formatted(remoteHost(context), reason));
            context.close();
        }
    }

    void sendHello(ChannelHandlerContext context, int type, Hello hello) {
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeHello(out, type, hello);
        context.writeAndFlush(out);
    }

    /** Tells the other side why, says so here, and closes. */
    void reject(ChannelHandlerContext context, Rejection rejection) {
        refused(context, "refused %s: %s".formatted(remoteHost(context), rejection.text()));
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeRejection(out, rejection);
        context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    static String remoteHost(ChannelHandlerContext context) {
        return hostOf(context.channel());
    }

    private static String hostOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : String.valueOf(channel.remoteAddress());
    }

    private static void sendEmpty(ChannelHandlerContext context, int type) {
        if (!context.channel().isWritable()) {
            return;
        }
        ByteBuf out = context.alloc().ioBuffer();
        Frames.writeEmpty(out, type);
        context.writeAndFlush(out, context.voidPromise());
    }
}
