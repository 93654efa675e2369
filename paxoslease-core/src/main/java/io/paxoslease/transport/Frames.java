package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frames: a length of four bytes, a type byte, a body. See {@code docs/wire-format.md}. Encoders write whole frames;
 * decoders take a frame without its length and type.
 */
public final class Frames {

    /** The version of this format. */
    public static final int VERSION = 1;
    /** The longest frame, in bytes after the length. */
    public static final int MAX_FRAME = 64 * 1_024;

    public static final int HELLO = 1;
    public static final int WELCOME = 2;
    public static final int REJECT = 3;
    public static final int MESSAGES = 4;
    public static final int PING = 5;
    public static final int PONG = 6;
    public static final int OTHER = 7;

    private static final int MAGIC = 0x50584C53; // PXLS
    /** A frame that is filled up to here has room for the longest message: an answer that names 128 resources. */
    private static final int FULL = MAX_FRAME - 33 * 1_024;

    private static final int MAX_MEMBERS = 63;
    private static final int PAXOSLEASE = 0;
    private static final int FLEASE = 1;

    private Frames() {}

    /**
     * Writes messages from the given index on, until the frame is full.
     *
     * @return the index of the first message that is left
     */
    public static int writeMessages(ByteBuf out, List<Message> messages, int first) {
        int start = begin(out, MESSAGES);
        int i = first;
        while (i < messages.size() && out.writerIndex() - start < FULL) {
            int before = out.writerIndex();
            MessageCodec.encode(out, messages.get(i));
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
        List<Message> messages = new ArrayList<>();
        while (in.isReadable()) {
            messages.add(MessageCodec.decode(in));
        }
        return messages;
    }

    /** Writes a frame without a body. */
    public static void writeEmpty(ByteBuf out, int type) {
        end(out, begin(out, type));
    }

    /**
     * Writes a {@link #HELLO} or {@link #WELCOME}; or an {@link #OTHER}, how a node of the cell introduces itself that was met and
     * runs another configuration.
     */
    public static void writeHello(ByteBuf out, int type, Hello hello) {
        int start = begin(out, type);
        writeHello(out, hello);
        end(out, start);
    }

    private static void writeHello(ByteBuf out, Hello hello) {
        out.writeInt(MAGIC);
        out.writeShort(VERSION);
        Wire.writeText(out, hello.config().cell());
        Wire.writeNodeId(out, hello.from());
        Wire.writeNodeId(out, hello.to());
        Wire.writeIncarnation(out, hello.bootId());
        out.writeLong(hello.config().maxLeaseTime().toNanos());
        out.writeDouble(hello.config().clockDrift());
        Duration clockBound = hello.config().clockBound();
        out.writeByte(clockBound == null ? PAXOSLEASE : FLEASE);
        out.writeLong(clockBound == null ? 0 : clockBound.toNanos());
        out.writeByte(hello.config().members().size());
        hello.config().members().forEach(member -> Wire.writeNodeId(out, member));
    }

    /**
     * Reads a {@link #HELLO}, {@link #WELCOME} or {@link #OTHER}.
     *
     * @throws MalformedFrameException when the bytes are something else
     * @throws UnsupportedVersionException when they are of another version of this format
     */
    public static Hello readHello(ByteBuf in) {
        if (Wire.readInt(in) != MAGIC) {
            throw new MalformedFrameException("not a PaxosLease node");
        }
        int version = Wire.readUnsignedShort(in);
        if (version != VERSION) {
            throw new UnsupportedVersionException(version);
        }
        String cell = Wire.readText(in);
        if (!NodeId.isValidName(cell)) {
            throw new MalformedFrameException("not a cell name");
        }
        NodeId from = Wire.readNodeId(in);
        NodeId to = Wire.readNodeId(in);
        var bootId = Wire.readIncarnation(in);
        Duration maxLeaseTime = Duration.ofNanos(Wire.readNonNegativeLong(in));
        double drift = Double.longBitsToDouble(Wire.readLong(in));
        Duration clockBound = readClockBound(in);
        List<NodeId> members = Wire.readList(in, Wire.readUnsignedByte(in), MAX_MEMBERS, "members", Wire::readNodeId);
        CellConfig config = new CellConfig(cell, members, maxLeaseTime, drift, clockBound);
        if (in.isReadable()) {
            throw new MalformedFrameException("a hello goes on after its last field");
        }
        return new Hello(config, from, to, bootId);
    }

    /** With the algorithm; null when that is PaxosLease. */
    private static @Nullable Duration readClockBound(ByteBuf in) {
        int algorithm = Wire.readUnsignedByte(in);
        long nanos = Wire.readNonNegativeLong(in);
        if (algorithm > FLEASE || (algorithm == PAXOSLEASE && nanos != 0)) {
            throw new MalformedFrameException(
                    "no algorithm %d with a clock bound of %d ns".formatted(algorithm, nanos));
        }
        return algorithm == FLEASE ? Duration.ofNanos(nanos) : null;
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
            writeHello(out, refuser.hello());
        }
        end(out, start);
    }

    /** Reads a {@link #REJECT}. Its text is made printable and cut: it is written to the log. */
    public static Rejection readRejection(ByteBuf in) {
        int code = Wire.readUnsignedByte(in);
        int length = Wire.readUnsignedShort(in);
        if (code < 1 || code > Rejection.REASONS.size() || length > in.readableBytes()) {
            throw new MalformedFrameException("not a rejection");
        }
        String text = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        Rejection.Refuser refuser = null;
        if (in.isReadable()) {
            boolean serves = in.readBoolean();
            refuser = new Rejection.Refuser(readHello(in), serves);
        }
        return new Rejection(Rejection.REASONS.get(code - 1), Printable.text(text), refuser);
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
