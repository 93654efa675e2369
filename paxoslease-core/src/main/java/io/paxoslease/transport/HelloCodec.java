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
 * How nodes introduce themselves, in bytes: the range of versions that the sender speaks, and a block that starts with its length. A later
 * version adds a block behind it, which earlier versions skip.
 */
final class HelloCodec {

    private static final int MAGIC = 0x50584C53; // PXLS
    private static final int PAXOSLEASE = 0;
    private static final int OTHER = 1;
    private static final List<Hello.Role> ROLES = List.of(Hello.Role.MEMBER, Hello.Role.CLIENT);

    private HelloCodec() {}

    static void write(ByteBuf out, Hello hello) {
        out.writeInt(MAGIC);
        out.writeShort(hello.versions().highest());
        out.writeShort(hello.versions().lowest());
        int start = out.writerIndex();
        out.writeShort(0);
        writeBlock(out, hello);
        out.setShort(start, out.writerIndex() - start - Short.BYTES);
    }

    private static void writeBlock(ByteBuf out, Hello hello) {
        CellConfig config = hello.config();
        Generation generation = config.generation();
        Wire.writeCode(out, 0, ROLES, hello.role());
        Wire.writeText(out, hello.application());
        Wire.writeText(out, config.cell());
        Wire.writeNodeId(out, hello.from());
        Wire.writeNodeId(out, hello.to());
        Wire.writeIncarnation(out, hello.bootId());
        out.writeLong(config.maxLeaseTime().toNanos());
        out.writeDouble(config.clockDrift());
        writeAlgorithm(out, config.clocked());
        out.writeByte(config.members().size());
        config.members().forEach(member -> Wire.writeNodeId(out, member));
        out.writeInt(generation.number());
        out.writeInt(hello.sealed());
        GenerationCodec.writePrevious(out, generation.previous());
        writeLastBoot(out, hello.lastBoot());
    }

    private static void writeLastBoot(ByteBuf out, Hello.@Nullable LastBoot boot) {
        out.writeBoolean(boot != null);
        if (boot != null) {
            Wire.writeIncarnation(out, boot.bootId());
            out.writeLong(boot.nanosAgo());
        }
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
        Versions theirs = readVersions(in);
        ours.agreedWith(theirs);
        int length = Wire.readUnsignedShort(in);
        boolean isLast = theirs.highest() <= ours.highest();
        if (length > in.readableBytes() || (isLast && length < in.readableBytes())) {
            throw new MalformedFrameException("a hello does not end where it says");
        }
        ByteBuf block = in.readSlice(length);
        Hello hello = readBlock(block, theirs);
        if (block.isReadable()) {
            throw new MalformedFrameException("a hello goes on after its last field");
        }
        return hello;
    }

    private static Versions readVersions(ByteBuf in) {
        int highest = Wire.readUnsignedShort(in);
        int lowest = Wire.readUnsignedShort(in);
        if (lowest < 1 || lowest > highest) {
            throw new MalformedFrameException("no versions %d to %d".formatted(lowest, highest));
        }
        return new Versions(lowest, highest);
    }

    private static Hello readBlock(ByteBuf in, Versions versions) {
        Hello.Role role = Wire.readCode(in, 0, ROLES, "role");
        String application = readApplication(in, role);
        String cell = Wire.readText(in);
        if (!NodeId.isValidName(cell)) {
            throw new MalformedFrameException("not a cell name");
        }
        NodeId from = Wire.readNodeId(in);
        NodeId to = Wire.readNodeId(in);
        Incarnation bootId = Wire.readIncarnation(in);
        Duration maxLeaseTime = Duration.ofNanos(Wire.readNonNegativeLong(in));
        double drift = Double.longBitsToDouble(Wire.readLong(in));
        CellConfig.Clocked clocked = readAlgorithm(in);
        List<NodeId> members =
                Wire.readList(in, Wire.readUnsignedByte(in), GenerationCodec.MAX_MEMBERS, "members", Wire::readNodeId);
        int number = GenerationCodec.readNumber(in);
        int sealed = GenerationCodec.readNumber(in);
        MemberList previous = GenerationCodec.readPrevious(in);
        Generation generation = GenerationCodec.of(number, new MemberList(members, maxLeaseTime, drift), previous);
        CellConfig config = new CellConfig(cell, generation, clocked);
        return new Hello(config, from, to, bootId, versions, role, application, sealed, readLastBoot(in));
    }

    private static String readApplication(ByteBuf in, Hello.Role role) {
        String application = Wire.readText(in);
        boolean isNamed = !application.isEmpty();
        if (isNamed && (role == Hello.Role.MEMBER || !NodeId.isValidName(application))) {
            throw new MalformedFrameException("not an application's name");
        }
        return application;
    }

    private static Hello.@Nullable LastBoot readLastBoot(ByteBuf in) {
        return Wire.readBoolean(in) ? new Hello.LastBoot(Wire.readIncarnation(in), Wire.readNonNegativeLong(in)) : null;
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
        if (code > OTHER || (code == OTHER) == (nanos == 0)) {
            throw new MalformedFrameException("no algorithm %d with a clock bound of %d ns".formatted(code, nanos));
        }
        if (code == OTHER && (!NodeId.isValidName(algorithm) || algorithm.equals(CellConfig.PAXOSLEASE))) {
            throw new MalformedFrameException("not the name of another algorithm");
        }
        return code == PAXOSLEASE ? null : new CellConfig.Clocked(algorithm, Duration.ofNanos(nanos));
    }
}
