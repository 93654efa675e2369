package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames: a length of four bytes, a type byte, a body. See {@code docs/wire-format.md}. Encoders write whole frames;
 * decoders take a frame without its length and type.
 */
public final class Frames {

    /** The longest frame, in bytes after the length. */
    public static final int MAX_FRAME = 64 * 1_024;

    public static final int HELLO = 1;
    public static final int WELCOME = 2;
    public static final int REJECT = 3;
    public static final int MESSAGES = 4;
    public static final int PING = 5;
    public static final int PONG = 6;
    public static final int OTHER = 7;
    public static final int CONTACT = 8;
    public static final int MEMBERS = 9;
    public static final int SPREAD = 10;
    public static final int COMING = 11;

    /** A frame that is filled up to here has room for the longest message: an answer that names 128 resources. */
    private static final int FULL = MAX_FRAME - 33 * 1_024;

    private Frames() {}

    /**
     * Writes messages from the given index on, until the frame is full.
     *
     * @return the index of the first message that is left
     */
    public static int writeMessages(ByteBuf out, List<Message> messages, int first) {
        return writeMessages(out, messages, first, MessageTypes.NONE);
    }

    /** Writes messages that may be of another algorithm. */
    public static int writeMessages(ByteBuf out, List<Message> messages, int first, MessageTypes others) {
        int start = begin(out, MESSAGES);
        int i = first;
        while (i < messages.size() && out.writerIndex() - start < FULL) {
            int before = out.writerIndex();
            if (!others.encode(out, messages.get(i))) {
                MessageCodec.encode(out, messages.get(i));
            }
            if (i > first && out.writerIndex() - start - Integer.BYTES > MAX_FRAME) {
                out.writerIndex(before); // it comes first in the next one
                break;
            }
            i++;
        }
        end(out, start);
        return i;
    }

    /** Reads the messages of a frame, in order. */
    public static List<Message> readMessages(ByteBuf in) {
        return readMessages(in, MessageTypes.NONE);
    }

    /** Reads messages that may be of another algorithm. */
    public static List<Message> readMessages(ByteBuf in, MessageTypes others) {
        List<Message> messages = new ArrayList<>();
        while (in.isReadable()) {
            messages.add(MessageCodec.decode(in, others));
        }
        return messages;
    }

    /** Writes a frame without a body. */
    public static void writeEmpty(ByteBuf out, int type) {
        end(out, begin(out, type));
    }

    /**
     * Writes a {@link #HELLO} or {@link #WELCOME}; an {@link #OTHER}, how a node of the cell introduces itself that was met and
     * runs another configuration; or a {@link #CONTACT}, by which a client asks who the members are.
     */
    public static void writeHello(ByteBuf out, int type, Hello hello) {
        int start = begin(out, type);
        HelloCodec.write(out, hello);
        end(out, start);
    }

    /**
     * Reads a {@link #HELLO}, {@link #WELCOME}, {@link #OTHER} or {@link #CONTACT}.
     *
     * @param ours what this node speaks
     * @throws MalformedFrameException when the bytes are something else
     * @throws UnsupportedVersionException when there is no version that both sides speak
     */
    public static Hello readHello(ByteBuf in, Versions ours) {
        return HelloCodec.read(in, ours);
    }

    /** Writes a {@link #MEMBERS}. */
    public static void writeMembers(ByteBuf out, CellMembers members) {
        int start = begin(out, MEMBERS);
        CellMembersCodec.write(out, members);
        end(out, start);
    }

    /**
     * Reads a {@link #MEMBERS}.
     *
     * @throws MalformedFrameException when the bytes are something else
     */
    public static CellMembers readMembers(ByteBuf in, Versions ours) {
        return CellMembersCodec.read(in, ours);
    }

    /** Writes a {@link #COMING}. */
    public static void writeComing(ByteBuf out, ComingMembers coming) {
        int start = begin(out, COMING);
        CellMembersCodec.writeComing(out, coming);
        end(out, start);
    }

    /**
     * Reads a {@link #COMING}.
     *
     * @throws MalformedFrameException when the bytes are something else
     */
    public static ComingMembers readComing(ByteBuf in) {
        return CellMembersCodec.readComing(in);
    }

    /** Writes a {@link #SPREAD}. */
    public static void writeSpread(ByteBuf out, int millis) {
        int start = begin(out, SPREAD);
        out.writeInt(millis);
        end(out, start);
    }

    /**
     * Reads a {@link #SPREAD}, in milliseconds.
     *
     * @throws MalformedFrameException when the bytes are something else
     */
    public static int readSpread(ByteBuf in) {
        if (in.readableBytes() != Integer.BYTES || in.getInt(in.readerIndex()) < 0) {
            throw new MalformedFrameException("not a time to spread dials over");
        }
        return in.readInt();
    }

    /** Writes a {@link #REJECT}. Its form up to the text is the same in every version. */
    public static void writeRejection(ByteBuf out, Rejection rejection) {
        int start = begin(out, REJECT);
        Wire.writeCode(out, 1, Rejection.REASONS, rejection.reason());
        byte[] text = rejection.text().getBytes(StandardCharsets.UTF_8);
        out.writeShort(text.length);
        out.writeBytes(text);
        Rejection.Refuser refuser = rejection.refuser();
        if (refuser != null) {
            out.writeBoolean(refuser.serves());
            HelloCodec.write(out, refuser.hello());
        }
        end(out, start);
    }

    /**
     * Reads a {@link #REJECT}. Its text is made printable and cut: it is written to the log. A reason that this release does not know is
     * {@link ConnectionRefusal#BY_PEER}.
     */
    public static Rejection readRejection(ByteBuf in, Versions ours) {
        int code = Wire.readUnsignedByte(in);
        int length = Wire.readUnsignedShort(in);
        if (code < 1 || length > in.readableBytes()) {
            throw new MalformedFrameException("not a rejection");
        }
        String text = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        if (code > Rejection.REASONS.size()) { // of a later release: what it says is all that is known
            return new Rejection(ConnectionRefusal.BY_PEER, Printable.text(text));
        }
        ConnectionRefusal reason = Rejection.REASONS.get(code - 1);
        Rejection.Refuser refuser = null;
        if (in.isReadable()) {
            boolean serves = in.readBoolean();
            refuser = new Rejection.Refuser(readHello(in, ours), serves);
        }
        return new Rejection(reason, Printable.text(text), refuser);
    }

    private static int begin(ByteBuf out, int type) {
        int start = out.writerIndex();
        out.writeInt(0);
        out.writeByte(type);
        return start;
    }

    private static void end(ByteBuf out, int start) {
        int length = out.writerIndex() - start - Integer.BYTES;
        if (length > MAX_FRAME) {
            throw new IllegalArgumentException("A frame of " + length + " bytes is too long");
        }
        out.setInt(start, length);
    }
}
