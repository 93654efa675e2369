package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS on one connection. The time for the handshake, HELLO included, is kept by {@link Connection}. Each record costs the event loop time, also one
 * that brings no data, such as a change of keys: so it is asked before each.
 */
final class TlsReader extends SslHandler {

    /** Decides how many records are read. */
    interface Pace {
        /** Whether one more is taken now. */
        boolean takes();

        /**
         * One was taken.
         *
         * @param isSilent whether there was no data in it, though the TLS handshake was complete
         */
        void tookRecord(boolean isSilent);
    }

    private final FrameReader frames;
    private final Pace pace;
    private boolean holds;

    TlsReader(SSLEngine engine, Executor tasks, FrameReader frames, Pace pace) {
        super(engine, tasks);
        this.frames = frames;
        this.pace = pace;
        setHandshakeTimeoutMillis(0);
    }

    /** Reads one record, if it is there. */
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws SSLException {
        holds = !pace.takes();
        if (holds || !context.channel().isOpen()) {
            return;
        }
        int length = in.readableBytes();
        int reads = frames.reads();
        boolean isShaken = handshakeFuture().isDone();
        super.decode(context, in, out);
        if (in.readableBytes() < length) {
            pace.tookRecord(isShaken && frames.reads() == reads);
        }
    }

    /** Whether something was left unread that may be a record. */
    boolean holds() {
        return holds;
    }

    /** How many bytes of memory the records take that are not read. */
    int kept() {
        return actualReadableBytes() == 0 ? 0 : internalBuffer().capacity();
    }
}
