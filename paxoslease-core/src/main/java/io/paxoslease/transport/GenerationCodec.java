package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Generations of members, in bytes. One that no node could run is malformed: the numbers come over the network. */
final class GenerationCodec {

    static final int MAX_MEMBERS = 63;
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);
    private static final double LARGEST_DRIFT = 0.5;

    private GenerationCodec() {}

    static void write(ByteBuf out, Generation generation) {
        out.writeInt(generation.number());
        writeList(out, generation.current());
        writePrevious(out, generation.previous());
    }

    static Generation read(ByteBuf in) {
        int number = readNumber(in);
        MemberList current = readList(in);
        Generation generation = of(number, current, readPrevious(in));
        check(generation);
        return generation;
    }

    /** The list before, or that there is none. */
    static void writePrevious(ByteBuf out, @Nullable MemberList previous) {
        out.writeBoolean(previous != null);
        if (previous != null) {
            writeList(out, previous);
        }
    }

    static @Nullable MemberList readPrevious(ByteBuf in) {
        return Wire.readBoolean(in) ? readList(in) : null;
    }

    private static void writeList(ByteBuf out, MemberList list) {
        out.writeLong(list.maxLeaseTime().toNanos());
        out.writeDouble(list.clockDrift());
        out.writeByte(list.members().size());
        list.members().forEach(member -> Wire.writeNodeId(out, member));
    }

    private static MemberList readList(ByteBuf in) {
        Duration maxLeaseTime = Duration.ofNanos(Wire.readNonNegativeLong(in));
        double drift = Double.longBitsToDouble(Wire.readLong(in));
        List<NodeId> members = Wire.readList(in, Wire.readUnsignedByte(in), MAX_MEMBERS, "members", Wire::readNodeId);
        MemberList list = new MemberList(members, maxLeaseTime, drift);
        if (!list.members().equals(members)) {
            throw new MalformedFrameException("a list of members is not in order");
        }
        return list;
    }

    /** A generation, or a number of one, that may be zero. */
    static int readNumber(ByteBuf in) {
        int number = Wire.readInt(in);
        if (number < 0) {
            throw new MalformedFrameException("a number is negative");
        }
        return number;
    }

    /** The first generation may be any: who asks for the members runs none yet. */
    static Generation of(int number, MemberList current, @Nullable MemberList previous) {
        if (number < 1 || (number == 1 && previous != null)) {
            throw new MalformedFrameException("not a generation");
        }
        Generation generation = new Generation(number, current, previous);
        if (number > 1) {
            check(generation);
        }
        return generation;
    }

    private static void check(Generation generation) {
        MemberList previous = generation.previous();
        if (!isValid(generation.current())
                || (previous != null && !isValid(previous))
                || generation.everyone().size() > MAX_MEMBERS) {
            throw new MalformedFrameException("a generation that no node can run");
        }
    }

    private static boolean isValid(MemberList list) {
        Duration longest = list.maxLeaseTime();
        return !list.members().isEmpty()
                && !longest.isZero()
                && longest.compareTo(LONGEST_LEASE) <= 0
                && list.clockDrift() >= 0
                && list.clockDrift() <= LARGEST_DRIFT;
    }
}
