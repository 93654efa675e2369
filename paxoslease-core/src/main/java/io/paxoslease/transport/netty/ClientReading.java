package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannelConfig;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.transport.ClientRequests;
import io.paxoslease.transport.MessageCodec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a member reads from one client: one read at a time, in turn with all other connections, and no more than {@link RequestBudget} allows. What is
 * beyond that stays in its frame, then in the socket, and then where it comes from. The first in the pipeline: it counts what TLS takes as well.
 * On the event loop.
 */
final class ClientReading extends ChannelInboundHandlerAdapter implements ClientMemory.Keeper {

    /** Of the socket: what a client has asked too much of waits before its renewals, so little of it may wait. */
    static final int SOCKET_BUFFER = 32 * 1_024;

    private static final long NEXT_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Connection connection;
    private final RequestBudget budget;
    /** Frames that are not read to their ends. */
    private final Deque<ByteBuf> waiting = new ArrayDeque<>();

    private @Nullable FrameReader frames;
    private @Nullable TlsReader tls;
    /** How many bytes of memory this connection keeps at most, as it was last measured. */
    private long kept;

    private boolean hasRead;
    /** What is left of the turn. */
    private int turn;

    private boolean paused;
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
        frames = channel.pipeline().get(FrameReader.class);
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

    /** Whether something that costs so much is paid for, and has its turn yet. It costs that in any case. */
    boolean spend(int cost) {
        boolean isPaid = turn > 0 && budget.isLeft();
        budget.spend(cost);
        turn -= cost;
        turns().take(cost);
        return isPaid;
    }

    private void beginTurn() {
        budget.fill(now());
        turn = turns().points();
    }

    /** Reads the messages of a frame; those that are not paid for yet later, but before all that follow. */
    void read(ByteBuf frame, List<Message> inbox) {
        hasRead = true;
        if (waiting.isEmpty()) {
            decode(frame, inbox);
        }
        if (frame.isReadable()) {
            waiting.add(frame.retain());
        }
    }

    private void decode(ByteBuf frame, List<Message> inbox) {
        while (frame.isReadable() && turn > 0 && budget.isLeft()) {
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
        long pause = Math.max(budget.pauseNanos(), waiting.isEmpty() ? 0 : NEXT_TURN_NANOS);
        if (pause > 0 && !paused && !ended) {
            paused = true;
            config().setAutoRead(false);
            connection.transport.loop.schedule(
                    connection.transport.guarded(this::nextTurn), pause, TimeUnit.NANOSECONDS);
        }
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
        boolean goneOn = hasRead && unsent == 0 && waiting.isEmpty();
        hasRead = false;
        if (now != kept || goneOn) {
            connection.transport.clientMemory.keeps(this, kept, now, goneOn);
            kept = now;
        }
    }

    private long unread() {
        ByteBuf last = waiting.peekLast();
        return (frames == null ? 0L : frames.kept())
                + (tls == null ? 0 : tls.kept())
                + (last == null ? 0 : memory(last));
    }

    /** A part of a buffer keeps all of it. Those that wait are parts of one, as nothing is read meanwhile. */
    private static int memory(ByteBuf part) {
        ByteBuf whole = part.unwrap();
        return whole == null ? part.capacity() : whole.capacity();
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
        paused = false;
        if (ended) {
            return;
        }
        beginTurn();
        try {
            readWaiting();
            connection.deliver();
        } catch (RuntimeException | Error fault) { // as where a read brings it
            connection.channel().pipeline().fireExceptionCaught(fault);
            return;
        }
        endTurn();
        if (!paused && !ended) {
            config().setAutoRead(true);
        }
    }

    private void readWaiting() {
        if (!waiting.isEmpty()) {
            connection.liveness.heard();
        }
        for (ByteBuf frame = waiting.peek(); frame != null; frame = waiting.peek()) {
            decode(frame, connection.inbox());
            if (frame.isReadable()) {
                return;
            }
            waiting.remove().release();
        }
    }

    /** What has not been read by now never is. */
    void end() {
        ended = true;
        connection.transport.clientMemory.keeps(this, kept, 0, false);
        kept = 0;
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        end();
    }
}
