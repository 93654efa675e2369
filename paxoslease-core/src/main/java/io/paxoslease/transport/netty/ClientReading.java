package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.ReferenceCountUtil;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.transport.ClientRequests;
import io.paxoslease.transport.MessageCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a member reads from one client: one read at a time, in turn with all other connections, and no more than {@link RequestBudget} allows. What is
 * beyond that stays in its frame, uncut, in its TLS record, then in the socket, and then where it comes from. The first in the pipeline: it counts what
 * comes, {@link TlsReader} the records in it, and {@link FrameReader} asks it before it cuts a frame. On the event loop.
 */
final class ClientReading extends ChannelDuplexHandler implements ClientMemory.Keeper {

    /** Of the socket: what a client has asked too much of waits before its renewals, so little of it may wait. */
    static final int SOCKET_BUFFER = 32 * 1_024;

    private static final long NEXT_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Connection connection;
    private final RequestBudget budget;
    /** The frame that is not read to its end. */
    private @Nullable ByteBuf waiting;

    private @Nullable TlsReader tls;
    /** How many bytes of memory this connection keeps at most, as it was last measured. */
    private long kept;

    private boolean hasRead;
    /** What is left of the turn. */
    private int turn;

    /** Nothing is read from the socket. */
    private boolean paused;
    /** The next turn has its time already. */
    private boolean scheduled;

    private boolean ended;

    ClientReading(Connection connection) {
        this.connection = connection;
        this.budget = new RequestBudget(now());
    }

    private ClientTurns turns() {
        return connection.transport.clientTurns;
    }

    private long now() {
        return connection.transport.loop.ticker().nanoTime();
    }

    /** From the next read on. */
    void begin() {
        Channel channel = connection.channel();
        if (channel.config().getRecvByteBufAllocator() instanceof MaxMessagesRecvByteBufAllocator reads) {
            reads.maxMessagesPerRead(1);
        }
        boundBuffer(channel, true);
        tls = channel.pipeline().get(TlsReader.class);
        channel.pipeline().addFirst(this);
    }

    /** Bounds what the system keeps of a connection between a client and a member. */
    static void boundBuffer(Channel channel, boolean received) {
        if (channel.config() instanceof SocketChannelConfig socket) {
            try {
                if (received) {
                    socket.setReceiveBufferSize(SOCKET_BUFFER);
                } else {
                    socket.setSendBufferSize(SOCKET_BUFFER);
                }
            } catch (ChannelException closed) {
                // That is noticed where it is read next.
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        if (ended) {
            ReferenceCountUtil.release(read);
            return;
        }
        if (kept > 0) {
            measure(); // what waited to be sent may have been
        }
        beginTurn();
        budget.spend(1);
        if (read instanceof ByteBuf bytes) {
            budget.spendBytes(bytes.readableBytes());
        }
        context.fireChannelRead(read);
    }

    /** Also TLS asks for more, when what came brought no data. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (!paused) {
            context.read();
        }
    }

    /** Whether more of what has come is taken in this turn. */
    boolean takes() {
        return !ended && waiting == null && hasTurn();
    }

    private boolean hasTurn() {
        return turn > 0 && budget.isLeft();
    }

    /** @param isSilent whether there was no data in it */
    void tookRecord(boolean isSilent) {
        spend(isSilent ? RequestBudget.SILENT_RECORD : RequestBudget.RECORD);
        if (isSilent && !budget.takesSilentRecord() && !ended) {
            refuse(
                    ConnectionRefusal.MALFORMED,
                    "it sends TLS records without data again and again: its keys may change once a second");
        }
    }

    /** It may cost more than is left. */
    void spend(int cost) {
        budget.spend(cost);
        turn -= cost;
        turns().take(cost);
    }

    private void beginTurn() {
        budget.fill(now());
        turn = turns().points();
    }

    /** Reads the messages of a frame; those that are not paid for yet later, but before all that follow. */
    void read(ByteBuf frame, List<Message> inbox) {
        hasRead = true;
        if (!frame.isReadable()) {
            spend(RequestBudget.EMPTY_FRAME);
            return;
        }
        decode(frame, inbox);
        if (frame.isReadable()) {
            waiting = frame.retain();
        }
    }

    private void decode(ByteBuf frame, List<Message> inbox) {
        while (frame.isReadable() && hasTurn()) {
            Message message = MessageCodec.decode(frame);
            spend(RequestBudget.cost(message));
            if (ClientRequests.contains(message)) {
                inbox.add(message);
            }
        }
    }

    /** The turn is over: all that it brought has been handed on. */
    void endTurn() {
        checkKept();
        if (ended || scheduled) {
            return;
        }
        long pause = Math.max(budget.pauseNanos(), holds() ? NEXT_TURN_NANOS : 0);
        boolean pauses = pause > 0;
        if (pauses) {
            scheduled = true;
            connection.transport.loop.schedule(
                    connection.transport.guarded(this::nextTurn), pause, TimeUnit.NANOSECONDS);
        }
        if (pauses != paused) {
            paused = pauses;
            config().setAutoRead(!pauses);
        }
    }

    /** Whether something has come that is not taken yet. */
    private boolean holds() {
        return waiting != null || connection.frames.holds() || (tls != null && tls.holds());
    }

    /** Counts what this connection keeps, and sees that all together keep no more than they may. */
    void checkKept() {
        measure();
        connection.transport.clientMemory.check();
    }

    /** Of what came, and of what is to go. */
    @Override
    public void measure() {
        if (ended) {
            return;
        }
        long unsent = unsent();
        long now = unsent + unread();
        boolean goneOn = hasRead && unsent == 0 && !holds();
        hasRead = false;
        if (now != kept || goneOn) {
            connection.transport.clientMemory.keeps(this, kept, now, goneOn);
            kept = now;
        }
    }

    private long unread() {
        return (long) connection.frames.kept(waiting) + (tls == null ? 0 : tls.kept());
    }

    private long unsent() {
        ChannelOutboundBuffer out = connection.channel().unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }

    @Override
    public void refuse(ConnectionRefusal reason, String why) {
        end();
        connection.giveUp(reason, why);
    }

    /** Nothing is heard because nothing is read. */
    boolean isPaused() {
        return paused;
    }

    private ChannelConfig config() {
        return connection.channel().config();
    }

    private void nextTurn() {
        scheduled = false;
        if (ended) {
            return;
        }
        beginTurn();
        try {
            readWaiting();
            goOn();
            connection.deliver();
        } catch (RuntimeException | Error fault) { // as where a read brings it
            connection.channel().pipeline().fireExceptionCaught(fault);
            return;
        }
        endTurn();
    }

    private void readWaiting() {
        ByteBuf frame = waiting;
        if (frame == null) {
            return;
        }
        connection.liveness.heard();
        decode(frame, connection.inbox());
        if (!frame.isReadable()) {
            waiting = null;
            frame.release();
        }
    }

    /** With what was left uncut, then with what was left unread. */
    private void goOn() {
        ChannelPipeline pipeline = connection.channel().pipeline();
        if (tls != null) {
            pipeline.context(tls).fireChannelRead(Unpooled.EMPTY_BUFFER);
        }
        pipeline.context(this).fireChannelRead(Unpooled.EMPTY_BUFFER).fireChannelReadComplete();
    }

    /** What has not been read by now never is. */
    void end() {
        ended = true;
        connection.transport.clientMemory.keeps(this, kept, 0, false);
        kept = 0;
        if (waiting != null) {
            waiting.release();
            waiting = null;
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        end();
    }
}
