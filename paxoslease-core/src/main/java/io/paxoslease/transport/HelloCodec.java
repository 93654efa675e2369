package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How nodes introduce themselves, in bytes: as version 1 has it for those who speak nothing else; from version 2 on with the range of
 * versions and a block whose length is told, so that later versions can add blocks that earlier ones pass over.
 */
final class HelloCodec {

    private static final int MAGIC = 0x50584C53; // PXLS
    private static final int PAXOSLEASE = 0;
    private static final int OTHER = 1;
    private static final List<Hello.Role> ROLES = List.of(Hello.Role.MEMBER, Hello.Role.CLIENT);

    private HelloCodec() {}

    static void write(ByteBuf out, Hello hello) {
        int highest = hello.versions().highest();
        out.writeInt(MAGIC);
        out.writeShort(highest);
        if (highest == 1) {
            writeBlock(out, hello);
            return;
        }
        out.writeShort(hello.versions().lowest());
        int start = begin(out);
        Wire.writeCode(out, 0, ROLES, hello.role());
        Wire.writeText(out, hello.application());
        writeBlock(out, hello);
        end(out, start);
        if (highest >= Versions.GENERATIONS) {
            writeGeneration(out, hello);
        }
        if (highest >= Versions.LAST_BOOT) {
            writeLastBoot(out, hello.lastBoot());
        }
    }

    /** What version 4 adds. */
    private static void writeLastBoot(ByteBuf out, Hello.@Nullable LastBoot boot) {
        int start = begin(out);
        out.writeBoolean(boot != null);
        if (boot != null) {
            Wire.writeIncarnation(out, boot.bootId());
            out.writeLong(boot.nanosAgo());
        }
        end(out, start);
    }

    private static int begin(ByteBuf out) {
        int start = out.writerIndex();
        out.writeShort(0);
        return start;
    }

    private static void end(ByteBuf out, int start) {
        out.setShort(start, out.writerIndex() - start - Short.BYTES);
    }

    /** What version 3 adds: a block that earlier versions pass over. */
    private static void writeGeneration(ByteBuf out, Hello hello) {
        Generation generation = hello.config().generation();
        int start = begin(out);
        out.writeInt(generation.number());
        out.writeInt(hello.sealed());
        GenerationCodec.writePrevious(out, generation.previous());
        end(out, start);
    }

    private static void writeBlock(ByteBuf out, Hello hello) {
        CellConfig config = hello.config();
        Wire.writeText(out, config.cell());
        Wire.writeNodeId(out, hello.from());
        Wire.writeNodeId(out, hello.to());
        Wire.writeIncarnation(out, hello.bootId());
        out.writeLong(config.maxLeaseTime().toNanos());
        out.writeDouble(config.clockDrift());
        writeAlgorithm(out, config.clocked());
        out.writeByte(config.members().size());
        config.members().forEach(member -> Wire.writeNodeId(out, member));
    }

    /**
     * Reads to the end.
     *
     * @param ours what this node speaks
     * @throws MalformedFrameException when the bytes are something else
     * @throws UnsupportedVersionException when no version of theirs is one of ours
     */
    static Hello read(ByteBuf in, Versions ours) {
        if (Wire.readInt(in) != MAGIC) {
            throw new MalformedFrameException("not a PaxosLease node");
        }
        int highest = Wire.readUnsignedShort(in);
        if (highest == 0) {
            throw new MalformedFrameException("there is no version 0");
        }
        if (highest == 1) {
            Hello hello = readBlock(in, Versions.only(1), Hello.Role.MEMBER, "");
            ours.agreedWith(hello.versions());
            return hello;
        }
        if (ours.highest() == 1) {
            throw new UnsupportedVersionException(Versions.only(highest), ours);
        }
        int lowest = Wire.readUnsignedShort(in);
        if (lowest < 1 || lowest > highest) {
            throw new MalformedFrameException("no versions %d to %d".formatted(lowest, highest));
        }
        Versions theirs = new Versions(lowest, highest);
        ours.agreedWith(theirs);
        ByteBuf block = readSlice(in, highest == 2);
        Hello.Role role = Wire.readCode(block, 0, ROLES, "role");
        String application = Wire.readText(block);
        boolean isNamed = !application.isEmpty();
        if (isNamed && (role == Hello.Role.MEMBER || !NodeId.isValidName(application))) {
            throw new MalformedFrameException("not an application's name");
        }
        Hello hello = readBlock(block, theirs, role, application);
        int known = Math.min(highest, ours.highest());
        if (known >= Versions.GENERATIONS) {
            hello = readGeneration(readSlice(in, highest == Versions.GENERATIONS), hello);
        }
        return known >= Versions.LAST_BOOT
                ? hello.afterMeeting(readLastBoot(readSlice(in, highest == Versions.LAST_BOOT)))
                : hello;
    }

    /** @param isLast whether nothing may follow it; else later versions may have added something */
    private static ByteBuf readSlice(ByteBuf in, boolean isLast) {
        int length = Wire.readUnsignedShort(in);
        if (length > in.readableBytes() || (isLast && length < in.readableBytes())) {
            throw new MalformedFrameException("a hello does not end where it says");
        }
        return in.readSlice(length);
    }

    private static Hello readGeneration(ByteBuf in, Hello hello) {
        CellConfig config = hello.config();
        int number = GenerationCodec.readNumber(in);
        int sealed = GenerationCodec.readNumber(in);
        MemberList previous = GenerationCodec.readPrevious(in);
        readEnd(in);
        Generation generation = GenerationCodec.of(number, config.generation().current(), previous);
        return new Hello(
                new CellConfig(config.cell(), generation, config.clocked()),
                hello.from(),
                hello.to(),
                hello.bootId(),
                hello.versions(),
                hello.role(),
                hello.application(),
                sealed);
    }

    private static Hello.@Nullable LastBoot readLastBoot(ByteBuf in) {
        Hello.LastBoot boot = Wire.readBoolean(in)
                ? new Hello.LastBoot(Wire.readIncarnation(in), Wire.readNonNegativeLong(in))
                : null;
        readEnd(in);
        return boot;
    }

    private static void readEnd(ByteBuf in) {
        if (in.isReadable()) {
            throw new MalformedFrameException("a hello goes on after its last field");
        }
    }

    private static Hello readBlock(ByteBuf in, Versions versions, Hello.Role role, String application) {
        String cell = Wire.readText(in);
        if (!NodeId.isValidName(cell)) {
            throw new MalformedFrameException("not a cell name");
        }
        NodeId from = Wire.readNodeId(in);
        NodeId to = Wire.readNodeId(in);
        Incarnation bootId = Wire.readIncarnation(in);
        CellConfig config = readConfig(in, cell);
        readEnd(in);
        return new Hello(config, from, to, bootId, versions, role, application);
    }

    private static CellConfig readConfig(ByteBuf in, String cell) {
        Duration maxLeaseTime = Duration.ofNanos(Wire.readNonNegativeLong(in));
        double drift = Double.longBitsToDouble(Wire.readLong(in));
        CellConfig.Clocked clocked = readAlgorithm(in);
        List<NodeId> members =
                Wire.readList(in, Wire.readUnsignedByte(in), GenerationCodec.MAX_MEMBERS, "members", Wire::readNodeId);
        return new CellConfig(cell, members, maxLeaseTime, drift, clocked);
    }

    private static void writeAlgorithm(ByteBuf out, CellConfig.@Nullable Clocked clocked) {
        out.writeByte(clocked == null ? PAXOSLEASE : OTHER);
        if (clocked != null) {
            Wire.writeText(out, clocked.algorithm());
        }
        out.writeLong(clocked == null ? 0 : clocked.bound().toNanos());
    }

    /** Null when it is PaxosLease. */
    private static CellConfig.@Nullable Clocked readAlgorithm(ByteBuf in) {
        int code = Wire.readUnsignedByte(in);
        String algorithm = code == OTHER ? Wire.readText(in) : "";
        long nanos = Wire.readNonNegativeLong(in);
        if (code > OTHER || (code == PAXOSLEASE ? nanos != 0 : !NodeId.isValidName(algorithm))) {
            throw new MalformedFrameException("no algorithm %d with a clock bound of %d ns".formatted(code, nanos));
        }
        return code == PAXOSLEASE ? null : new CellConfig.Clocked(algorithm, Duration.ofNanos(nanos));
    }
}
