package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Candidate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The binary form of the messages of a nominated hand-over, as in {@link MessageCodec}. */
final class NominationCodec {

    private static final int NOMINATE = 12;
    private static final int RELEASE_TO = 13;
    private static final int NOMINATED = 29;

    private NominationCodec() {}

    static boolean isOne(Message message) {
        return message instanceof Nominate || message instanceof ReleaseTo || message instanceof Nominated;
    }

    static boolean isOne(int type) {
        return type == NOMINATE || type == RELEASE_TO || type == NOMINATED;
    }

    static void encode(ByteBuf out, Message message) {
        if (message instanceof Nominate m) {
            out.writeByte(NOMINATE);
            Wire.writeText(out, m.resource());
            Wire.writeIncarnation(out, m.incarnation());
            out.writeLong(m.counter());
            out.writeLong(m.question());
            writeOptionalNode(out, m.node());
        } else if (message instanceof ReleaseTo m) {
            out.writeByte(RELEASE_TO);
            Wire.writeText(out, m.release().resource());
            Wire.writeIncarnation(out, m.release().incarnation());
            out.writeLong(m.release().upToCounter());
            Wire.writeNodeId(out, m.successor());
        } else if (message instanceof Nominated m) {
            encodeNominated(out, m);
        }
    }

    private static void encodeNominated(ByteBuf out, Nominated message) {
        if (message.waiting().size() > Nominated.MOST) {
            throw new IllegalArgumentException("More than " + Nominated.MOST + " candidates in one message");
        }
        out.writeByte(NOMINATED);
        Wire.writeText(out, message.resource());
        out.writeLong(message.question());
        out.writeByte(message.waiting().size());
        for (Candidate each : message.waiting()) {
            Wire.writeNodeId(out, each.node());
            out.writeLong(each.enqueuedCounter());
            out.writeBoolean(each.queued());
        }
    }

    /** Reads what follows the type, which {@link #isOne(int)}. */
    static Message decode(int type, ByteBuf in) {
        String resource = Wire.readText(in);
        if (type == NOMINATED) {
            return new Nominated(resource, Wire.readLong(in), readCandidates(in));
        }
        var incarnation = Wire.readIncarnation(in);
        long counter = Wire.readNonNegativeLong(in);
        return type == NOMINATE
                ? new Nominate(resource, incarnation, counter, Wire.readLong(in), readOptionalNode(in))
                : new ReleaseTo(new Release(resource, incarnation, counter), Wire.readNodeId(in));
    }

    private static List<Candidate> readCandidates(ByteBuf in) {
        return Wire.readList(
                in,
                Wire.readUnsignedByte(in),
                Nominated.MOST,
                "candidates in one message",
                each -> new Candidate(Wire.readNodeId(each), Wire.readNonNegativeLong(each), Wire.readBoolean(each)));
    }

    /** A node id, or an empty text. */
    static void writeOptionalNode(ByteBuf out, @Nullable NodeId node) {
        Wire.writeText(out, node == null ? "" : node.name());
    }

    static @Nullable NodeId readOptionalNode(ByteBuf in) {
        String name = Wire.readText(in);
        if (!name.isEmpty() && !NodeId.isValidName(name)) {
            throw new MalformedFrameException("not a node id");
        }
        return name.isEmpty() ? null : new NodeId(name);
    }
}
