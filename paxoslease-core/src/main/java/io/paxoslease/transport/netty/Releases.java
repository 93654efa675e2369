package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Releases for a member that takes them more slowly than they come, as it takes so many from a client in a second: no other node asks for them
 * again. One frame of them is on its way at a time, so renewals and requests have their turns between them. On the event loop.
 */
final class Releases {

    /** Beyond that they are dropped, and the leases expire. */
    static final int MOST = 1 << 17;

    private final Supplier<Channel> connection;
    private final Consumer<ByteBuf> ping;
    private List<Message> waiting = new ArrayList<>();
    /** What the frame has that is on its way. */
    private List<Message> sent = List.of();

    private boolean sending;
    private boolean wereSent;

    /**
     * @param connection from its handshake on
     * @param ping writes what the other end answers when it has read what is before it
     */
    Releases(Supplier<Channel> connection, Consumer<ByteBuf> ping) {
        this.connection = connection;
        this.ping = ping;
    }

    static boolean isRelease(Message message) {
        Message request = message instanceof PaxosMessage.InMode inMode ? inMode.request() : message;
        return request instanceof PaxosMessage.Release || request instanceof PaxosMessage.ReleaseTo;
    }

    /** The messages are sent. */
    void look(List<Message> messages) {
        for (int i = 0; i < messages.size() && !wereSent; i++) {
            wereSent = isRelease(messages.get(i));
        }
    }

    /** Those of the messages that are releases are sent as soon as there is room. */
    void await(List<Message> messages) {
        for (Message message : messages) {
            if (isRelease(message) && waiting.size() < MOST) {
                waiting.add(message);
            }
        }
    }

    /** The next ones that wait, if none are on their way. */
    void send() {
        if (sending || waiting.isEmpty()) {
            return;
        }
        Channel channel = connection.get();
        ByteBuf frame = channel.alloc().ioBuffer();
        int count = Frames.writeMessages(frame, waiting, 0);
        ping.accept(frame);
        sent = List.copyOf(waiting.subList(0, count));
        waiting.subList(0, count).clear();
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(); // the old one keeps its room
        }
        sending = true;
        channel.writeAndFlush(frame).addListener(written -> hasLeft(written.isSuccess()));
    }

    /**
     * The next frame waits for a task of its own: until this returns, the one that has left still counts as unsent, so the connection would not be writable
     * again before the last of them.
     */
    private void hasLeft(boolean isWritten) {
        sending = false;
        if (!isWritten) {
            waiting.addAll(0, sent);
        }
        sent = List.of();
        if (isWritten && !waiting.isEmpty()) {
            connection.get().eventLoop().execute(this::goOn);
        }
    }

    private void goOn() {
        try {
            send();
        } catch (RuntimeException | Error fault) { // the next message tries it again
            connection.get().pipeline().fireExceptionCaught(fault);
        }
    }

    /** What another connection with the same process has not sent, or may not have sent, is sent over this one: twice does no harm. */
    void takeOver(Releases before) {
        if (before.sent.isEmpty() && before.waiting.isEmpty()) {
            return;
        }
        wereSent = true;
        await(before.sent);
        await(before.waiting);
        before.sent = List.of();
        before.waiting = new ArrayList<>();
        send();
    }

    /** Whether there were any, so the other end has to read them before this one closes. */
    boolean wereSent() {
        return wereSent;
    }

    /** How much is not sent yet of all that is to be sent over the connection, in no unit. */
    long unsent() {
        ChannelOutboundBuffer out = connection.get().unsafe().outboundBuffer();
        return waiting.size() + (out == null ? 0 : out.totalPendingWriteBytes());
    }
}
