package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

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

    TlsReader(SSLEngine engine, ThreadPoolExecutor tasks, Channel channel, FrameReader frames, Pace pace) {
        super(engine, new ChannelTasks(tasks, channel));
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

    /**
     * The key exchange of one channel, which has one task at a time. When the channel closes, the task that still waits leaves the
     * queue: it would keep all that the handshake has collected, and the turn of another, for nothing.
     */
    private static final class ChannelTasks implements Executor {

        private final ThreadPoolExecutor pool;
        private final Channel channel;
        private volatile @Nullable Runnable waiting;

        ChannelTasks(ThreadPoolExecutor pool, Channel channel) {
            this.pool = pool;
            this.channel = channel;
            channel.closeFuture().addListener(closed -> withdraw());
        }

        /** @throws RejectedExecutionException when too many wait, or the node ends */
        @Override
        public void execute(Runnable task) {
            Runnable one = () -> {
                if (channel.isOpen()) {
                    task.run();
                }
            };
            waiting = one;
            pool.execute(one);
            if (!channel.isOpen()) { // it closed meanwhile
                withdraw();
            }
        }

        private void withdraw() {
            Runnable one = waiting;
            if (one != null) {
                pool.remove(one);
                waiting = null;
            }
        }
    }
}
