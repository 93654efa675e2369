package io.paxoslease.transport.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.internal.OutOfDirectMemoryError;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.UnsupportedVersionException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;

/** The end of a connection's pipeline: finds out what a fault means, and has the connection refused for it. */
final class FaultHandler extends ChannelInboundHandlerAdapter {

    /** How the JVM begins to say so. */
    private static final String NO_THREAD = "unable to create";

    /** A TLS record with the alert handshake_failure, fatal. */
    private static final byte[] ALERT = {0x15, 3, 3, 0, 2, 2, 0x28};

    private final Connection connection;

    FaultHandler(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent shaken && !shaken.isSuccess()) {
            if (isOfThisNode(shaken.cause())) {
                connection.transport.failed(shaken.cause());
            }
            connection.breakOff();
            tlsFailed(shaken.cause());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (isOfThisNode(cause)) { // before anything that needs memory
            connection.transport.failed(cause);
            context.close();
            return;
        }
        connection.breakOff();
        Throwable reason = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (reason instanceof UnsupportedVersionException) {
            connection.reject(new Rejection(ConnectionRefusal.VERSION, String.valueOf(reason.getMessage())));
        } else if (reason instanceof TooLongFrameException) {
            tooLong();
        } else if (reason instanceof MalformedFrameException) {
            malformed(String.valueOf(reason.getMessage()));
        } else if (TlsFault.isTls(cause)) {
            tlsFailed(cause);
        } else if (reason instanceof IOException) {
            connection.close();
        } else if (reason instanceof RejectedExecutionException) {
            keyExchangeRejected();
        } else {
            connection.refuseAndClose(
                    ConnectionRefusal.FAULT,
                    "the connection with %s was closed after a fault: %s"
                            .formatted(connection.host(), Printable.text(reason)));
        }
    }

    /**
     * Whether this node can be relied on no more, and not only this connection: the JVM has no heap left, or is broken. The want of a thread
     * for a key exchange, and of memory outside of the heap for a buffer, ends with the connection.
     */
    static boolean isOfThisNode(Throwable cause) {
        Throwable reason = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        return reason instanceof VirtualMachineError
                && !(reason instanceof OutOfDirectMemoryError)
                && !String.valueOf(reason.getMessage()).startsWith(NO_THREAD);
    }

    private void tooLong() {
        HandshakeBytes handshake = connection.channel().pipeline().get(HandshakeBytes.class);
        if (connection.tls == null && handshake != null && handshake.looksLikeTls()) {
            refuseTls();
        } else {
            malformed("longer than " + Frames.MAX_FRAME + " bytes");
        }
    }

    /** The caller, which expects TLS, learns from a frame that this node speaks none; what the frame says is for who looks at the network. */
    private void refuseTls() {
        String why = "it speaks TLS, and this node does not: set up TLS on every node of the cell or on none" + "";
        if (connection.called == null) {
            connection.refuseWith(
                    ConnectionRefusal.UNEXPECTED_TLS,
                    connection.refusing() + why,
                    new Rejection(ConnectionRefusal.VERSION, "this node does not speak TLS"));
        } else {
            connection.giveUp(ConnectionRefusal.UNEXPECTED_TLS, why);
        }
    }

    private void malformed(String what) {
        connection.refuseAndClose(
                ConnectionRefusal.MALFORMED,
                "%s sent something that is no PaxosLease frame (%s): the connection was closed"
                        .formatted(connection.host(), what));
    }

    private void tlsFailed(Throwable cause) {
        if (cause instanceof RejectedExecutionException) {
            keyExchangeRejected();
            return;
        }
        InetSocketAddress called = connection.called;
        TlsFault fault = TlsFault.of(cause, called == null ? null : called.getHostString());
        connection.transport.log.plain.debug("TLS with {} failed", Printable.name(connection.host()), cause);
        if (fault == null) {
            connection.close();
        } else {
            if (fault.reason() == ConnectionRefusal.NOT_TLS && called == null) {
                tellThatThisIsTls();
            }
            connection.refuseAndClose(fault.reason(), connection.refusing() + fault.text());
        }
    }

    /** The caller, which expects frames, learns it from the first byte; what follows it is what a caller with TLS would show to its user. */
    private void tellThatThisIsTls() {
        ChannelHandlerContext tls = connection.channel().pipeline().context(SslHandler.class);
        if (tls != null && connection.refusal() == null) {
            tls.writeAndFlush(Unpooled.wrappedBuffer(ALERT)); // not encrypted: towards the network from there
        }
    }

    private void keyExchangeRejected() {
        if (connection.transport.isClosing()) {
            connection.close();
        } else {
            connection.giveUp(ConnectionRefusal.TOO_MANY_CONNECTIONS, "too many key exchanges wait: it may try again");
        }
    }
}
