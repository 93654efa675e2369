package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.paxos.Ballot;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The parts that frames are made of; big-endian. Every read checks its bounds before it allocates. */
public final class Wire {

    public static final int MAX_TEXT = 255;

    private Wire() {}

    public static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_TEXT) {
            throw new IllegalArgumentException("More than " + MAX_TEXT + " bytes of UTF-8: " + Printable.text(text));
        }
        out.writeByte(bytes.length);
        out.writeBytes(bytes);
    }

    public static String readText(ByteBuf in) {
        int length = readUnsignedByte(in);
        need(in, length);
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        for (byte each : bytes) {
            if (each < 0) {
                return decode(bytes);
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static String decode(byte[] bytes) {
        try {
            CharBuffer text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes));
            return text.toString();
        } catch (CharacterCodingException e) {
            throw new MalformedFrameException("a text is not UTF-8");
        }
    }

    public static void writeNodeId(ByteBuf out, NodeId id) {
        writeText(out, id.name());
    }

    public static NodeId readNodeId(ByteBuf in) {
        String name = readText(in);
        if (!NodeId.isValidName(name)) {
            throw new MalformedFrameException("not a node id");
        }
        return new NodeId(name);
    }

    public static void writeIncarnation(ByteBuf out, Incarnation incarnation) {
        out.writeLong(incarnation.high());
        out.writeLong(incarnation.low());
    }

    public static Incarnation readIncarnation(ByteBuf in) {
        return new Incarnation(readLong(in), readLong(in));
    }

    public static void writeBallot(ByteBuf out, Ballot ballot) {
        out.writeLong(ballot.counter());
        writeIncarnation(out, ballot.incarnation());
    }

    public static Ballot readBallot(ByteBuf in) {
        return new Ballot(readNonNegativeLong(in), readIncarnation(in));
    }

    public static int readUnsignedByte(ByteBuf in) {
        need(in, 1);
        return in.readUnsignedByte();
    }

    public static boolean readBoolean(ByteBuf in) {
        int value = readUnsignedByte(in);
        if (value > 1) {
            throw new MalformedFrameException("neither yes nor no");
        }
        return value == 1;
    }

    public static int readUnsignedShort(ByteBuf in) {
        need(in, 2);
        return in.readUnsignedShort();
    }

    public static int readInt(ByteBuf in) {
        need(in, 4);
        return in.readInt();
    }

    public static long readLong(ByteBuf in) {
        need(in, 8);
        return in.readLong();
    }

    public static long readNonNegativeLong(ByteBuf in) {
        long value = readLong(in);
        if (value < 0) {
            throw new MalformedFrameException("a number is negative");
        }
        return value;
    }

    /** Writes one byte, as {@link #readCode} reads it. */
    public static <T> void writeCode(ByteBuf out, int first, List<T> values, T value) {
        int index = values.indexOf(value);
        if (index < 0) {
            throw new IllegalArgumentException(value + " has no code in the wire format: add it to the list");
        }
        out.writeByte(first + index);
    }

    /**
     * Reads what {@link #writeCode} wrote.
     *
     * @throws MalformedFrameException when there is no such code
     */
    public static <T> T readCode(ByteBuf in, int first, List<T> values, String what) {
        int code = readUnsignedByte(in);
        if (code < first || code >= first + values.size()) {
            throw new MalformedFrameException("unknown %s %d".formatted(what, code));
        }
        return values.get(code - first);
    }

    /**
     * Reads so many elements.
     *
     * @throws MalformedFrameException when there are more than {@code max}
     */
    public static <T> List<T> readList(ByteBuf in, int count, int max, String what, Function<ByteBuf, T> reader) {
        if (count > max) {
            throw new MalformedFrameException("more than %d %s".formatted(max, what));
        }
        List<T> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(reader.apply(in));
        }
        return list;
    }

    private static void need(ByteBuf in, int bytes) {
        if (in.readableBytes() < bytes) {
            throw new MalformedFrameException("a frame ends too early");
        }
    }
}
