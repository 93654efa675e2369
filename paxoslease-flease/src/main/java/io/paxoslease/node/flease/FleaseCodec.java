package io.paxoslease.node.flease;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import io.paxoslease.protocol.flease.FleaseMessage.Freed;
import io.paxoslease.protocol.flease.FleaseMessage.InUse;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Known;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Query;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import io.paxoslease.protocol.flease.Round;
import io.paxoslease.protocol.flease.Stored;
import io.paxoslease.protocol.flease.Value;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Wire;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The binary form of one message of Flease: a type byte, then its fields in order. See {@code docs/wire-format.md}. */
public final class FleaseCodec implements MessageTypes {

    /** Has no state. */
    public static final FleaseCodec INSTANCE = new FleaseCodec();

    private static final int READ = 32;
    private static final int WRITE = 33;
    private static final int QUERY = 34;
    private static final int COMPARE = 35;
    private static final int READ_ACK = 48;
    private static final int WRITE_ACK = 49;
    private static final int NACK = 50;
    private static final int KNOWN = 51;
    private static final int COMPARED = 52;
    private static final int FREED = 53;
    private static final int IN_USE = 54;

    /** By code. */
    private static final List<Interest> INTERESTS = List.of(Interest.NONE, Interest.ONCE, Interest.WAITS);

    private FleaseCodec() {}

    @Override
    public boolean encode(ByteBuf out, Message message) {
        if (!(message instanceof FleaseMessage m)) {
            return false;
        }
        encode(out, m);
        return true;
    }

    private static void encode(ByteBuf out, FleaseMessage message) {
        if (message instanceof FleaseMessage.OfAttempt m) {
            encodeOfAttempt(out, m);
        } else if (message instanceof Freed m) {
            out.writeByte(FREED);
            Wire.writeText(out, m.resource());
            out.writeShort(Math.min(m.ahead(), 0xFFFF));
        } else if (message instanceof InUse m) {
            out.writeByte(IN_USE);
            Wire.writeText(out, m.resource());
            out.writeLong(m.token());
        } else if (message instanceof Query m) {
            out.writeByte(QUERY);
            out.writeLong(m.id());
            writeList(out, m.resources(), Wire::writeText);
        } else if (message instanceof Known m) {
            out.writeByte(KNOWN);
            out.writeLong(m.id());
            writeList(out, m.stored(), FleaseCodec::writeStored);
        } else if (message instanceof Compare m) {
            out.writeByte(COMPARE);
            out.writeLong(m.id());
        } else if (message instanceof Compared m) {
            out.writeByte(COMPARED);
            out.writeLong(m.id());
            out.writeLong(m.wallMicros());
        }
    }

    private static void encodeOfAttempt(ByteBuf out, FleaseMessage.OfAttempt message) {
        if (message instanceof Read m) {
            head(out, READ, m);
            Wire.writeCode(out, 0, INTERESTS, m.interest());
        } else if (message instanceof Write m) {
            head(out, WRITE, m);
            writeValue(out, m.value());
        } else if (message instanceof ReadAck m) {
            head(out, READ_ACK, m);
            writeStored(out, m.stored());
        } else if (message instanceof WriteAck m) {
            head(out, WRITE_ACK, m);
        } else if (message instanceof Nack m) {
            head(out, NACK, m);
            writeRound(out, m.highest());
        }
    }

    @Override
    public boolean contains(int type) {
        return (type >= READ && type <= COMPARE) || (type >= READ_ACK && type <= IN_USE);
    }

    @Override
    public FleaseMessage decode(int type, ByteBuf in) {
        return switch (type) {
            case FREED -> new Freed(Wire.readText(in), Wire.readUnsignedShort(in));
            case IN_USE -> new InUse(Wire.readText(in), Wire.readNonNegativeLong(in));
            case QUERY -> new Query(Wire.readLong(in), readList(in, Wire::readText));
            case KNOWN -> new Known(Wire.readLong(in), readList(in, FleaseCodec::readStored));
            case COMPARE -> new Compare(Wire.readLong(in));
            case COMPARED -> new Compared(Wire.readLong(in), Wire.readNonNegativeLong(in));
            default -> decodeOfAttempt(type, in);
        };
    }

    private static FleaseMessage decodeOfAttempt(int type, ByteBuf in) {
        String resource = Wire.readText(in);
        Round round = readRound(in);
        long attempt = Wire.readLong(in);
        return switch (type) {
            case READ -> new Read(resource, round, attempt, Wire.readCode(in, 0, INTERESTS, "interest"));
            case WRITE -> new Write(resource, round, attempt, readValue(in));
            case READ_ACK -> new ReadAck(resource, round, attempt, readStored(in));
            case WRITE_ACK -> new WriteAck(resource, round, attempt);
            default -> new Nack(resource, round, attempt, readRound(in));
        };
    }

    private static void head(ByteBuf out, int type, FleaseMessage.OfAttempt message) {
        out.writeByte(type);
        Wire.writeText(out, message.resource());
        writeRound(out, message.round());
        out.writeLong(message.attempt());
    }

    private static void writeRound(ByteBuf out, Round round) {
        out.writeLong(round.slot());
        out.writeLong(round.draw());
        Wire.writeNodeId(out, round.node());
    }

    private static Round readRound(ByteBuf in) {
        return new Round(Wire.readNonNegativeLong(in), Wire.readNonNegativeLong(in), Wire.readNodeId(in));
    }

    private static void writeValue(ByteBuf out, Value value) {
        Value.Owner owner = value.owner();
        out.writeBoolean(owner != null);
        if (owner != null) {
            Wire.writeNodeId(out, owner.node());
            Wire.writeIncarnation(out, owner.incarnation());
            out.writeLong(value.endMicros());
        }
        out.writeLong(value.token());
    }

    private static Value readValue(ByteBuf in) {
        if (!Wire.readBoolean(in)) {
            return new Value(null, 0, Wire.readNonNegativeLong(in));
        }
        Value.Owner owner = new Value.Owner(Wire.readNodeId(in), Wire.readIncarnation(in));
        return new Value(owner, Wire.readNonNegativeLong(in), Wire.readNonNegativeLong(in));
    }

    private static void writeStored(ByteBuf out, Stored stored) {
        writeRound(out, stored.written());
        writeValue(out, stored.value());
    }

    private static Stored readStored(ByteBuf in) {
        return new Stored(readRound(in), readValue(in));
    }

    private static <T> void writeList(ByteBuf out, List<T> list, BiConsumer<ByteBuf, T> writer) {
        if (list.size() > Query.MAX_RESOURCES) {
            throw new IllegalArgumentException("More than " + Query.MAX_RESOURCES + " resources in one message");
        }
        out.writeByte(list.size());
        list.forEach(each -> writer.accept(out, each));
    }

    private static <T> List<T> readList(ByteBuf in, Function<ByteBuf, T> reader) {
        return Wire.readList(in, Wire.readUnsignedByte(in), Query.MAX_RESOURCES, "resources in one message", reader);
    }
}
