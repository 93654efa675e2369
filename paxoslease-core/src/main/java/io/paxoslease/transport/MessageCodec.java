package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import java.util.List;
import java.util.function.Function;

/** The binary form of one message: a type byte, then its fields in order. See {@code docs/wire-format.md}. */
public final class MessageCodec {

    private static final int PREPARE = 1;
    private static final int PROPOSE = 2;
    private static final int EXTEND = 3;
    private static final int RELEASE = 4;
    private static final int STILL_IN_USE = 5;
    private static final int WITH_NOTE = 11;
    private static final int OPEN = 16;
    private static final int ACCEPTED = 17;
    private static final int HELD = 18;
    private static final int STALE = 19;
    private static final int REFUSED = 20;
    private static final int EXTENDED = 21;
    private static final int RELEASED = 22;
    private static final int IN_USE = 23;
    private static final int UNKNOWN_BATCH = 24;
    private static final int WANTED = 25;
    private static final int HELD_WITH_NOTE = 28;

    /** By code. */
    private static final List<QueueMode> QUEUE_MODES = List.of(QueueMode.NONE, QueueMode.ASK_HOLDER, QueueMode.QUEUE);

    /** By code, from 1 on. */
    private static final List<Refusal> REFUSALS =
            List.of(Refusal.TOO_LONG, Refusal.TOO_FAR_AHEAD, Refusal.TOO_MANY, Refusal.OTHER_GENERATION);

    private static final int NOT_QUEUED = 0;
    private static final int QUEUED = 1;
    private static final int ASK_AGAIN = 2;

    /** The most resources that one {@link Extend} or {@link Extended} may name. */
    public static final int MAX_EXTENSIONS = 512;

    private MessageCodec() {}

    /** Whether the mode of a request of that type counts. */
    static boolean hasMode(int type) {
        return type == PREPARE || type == PROPOSE || type == EXTEND || type == WITH_NOTE;
    }

    /** Appends the message. */
    public static void encode(ByteBuf out, Message message) {
        if (GenerationMessageCodec.isOne(message)) {
            GenerationMessageCodec.encode(out, message);
        } else if (MaxRegisterCodec.isOne(message)) {
            MaxRegisterCodec.encode(out, message);
        } else if (WatchCodec.isOne(message)) {
            WatchCodec.encode(out, message);
        } else if (NominationCodec.isOne(message)) {
            NominationCodec.encode(out, message);
        } else if (message instanceof PaxosMessage.Request m) {
            encodeRequest(out, m);
        } else if (message instanceof PaxosMessage.Answer m) {
            encodeAnswer(out, m);
        } else {
            throw new IllegalArgumentException("Neither PaxosLease nor the algorithm of this cell has a message "
                    + message.getClass().getSimpleName());
        }
    }

    private static void encodeRequest(ByteBuf out, PaxosMessage.Request message) {
        if (message instanceof Prepare m) {
            head(out, PREPARE, m.resource(), m.ballot(), m.attempt());
        } else if (message instanceof Propose m) {
            writeNote(out, WITH_NOTE, m.note());
            head(out, PROPOSE, m.resource(), m.ballot(), m.attempt());
            out.writeLong(m.leaseNanos());
            Wire.writeCode(out, 0, QUEUE_MODES, m.queueMode());
            out.writeLong(m.enqueuedCounter());
            out.writeLong(m.predecessorCounter());
        } else if (message instanceof Extend m) {
            encodeExtend(out, m);
        } else if (message instanceof Release m) {
            out.writeByte(RELEASE);
            Wire.writeText(out, m.resource());
            Wire.writeIncarnation(out, m.incarnation());
            out.writeLong(m.upToCounter());
        } else if (message instanceof StillInUse m) {
            out.writeByte(STILL_IN_USE);
            Wire.writeText(out, m.resource());
            Wire.writeIncarnation(out, m.incarnation());
        }
    }

    private static void encodeAnswer(ByteBuf out, PaxosMessage.Answer message) {
        if (message instanceof Open m) {
            head(out, OPEN, m.resource(), m.ballot(), m.attempt());
        } else if (message instanceof Accepted m) {
            head(out, ACCEPTED, m.resource(), m.ballot(), m.attempt());
            out.writeBoolean(m.wanted());
        } else if (message instanceof Held m) {
            writeNote(out, HELD_WITH_NOTE, m.note());
            head(out, HELD, m.resource(), m.ballot(), m.attempt());
            Wire.writeBallot(out, m.owner());
            Wire.writeNodeId(out, m.ownerNode());
            out.writeLong(m.remainingNanos());
            out.writeLong(m.promisedCounter());
            writePlace(out, m);
        } else if (message instanceof InUse m) {
            head(out, IN_USE, m.resource(), m.ballot(), m.attempt());
        } else if (message instanceof Stale m) {
            head(out, STALE, m.resource(), m.ballot(), m.attempt());
            out.writeLong(m.promisedCounter());
        } else if (message instanceof Refused m) {
            head(out, REFUSED, m.resource(), m.ballot(), m.attempt());
            Wire.writeCode(out, 1, REFUSALS, m.reason());
            out.writeLong(m.limit());
        } else if (message instanceof Extended m) {
            encodeExtended(out, m);
        } else if (message instanceof UnknownBatch m) {
            out.writeByte(UNKNOWN_BATCH);
            Wire.writeIncarnation(out, m.incarnation());
            out.writeLong(m.attempt());
        } else if (message instanceof Released m) {
            out.writeByte(RELEASED);
            Wire.writeText(out, m.resource());
            out.writeShort(Math.min(m.ahead(), 0xFFFF));
        } else if (message instanceof Wanted m) {
            out.writeByte(WANTED);
            Wire.writeText(out, m.resource());
            Wire.writeIncarnation(out, m.incarnation());
            out.writeLong(m.counter());
            out.writeLong(m.highestQueued());
            out.writeBoolean(m.asking());
            NominationCodec.writeOptionalNode(out, m.first());
        }
    }

    /**
     * Reads one message.
     *
     * @throws MalformedFrameException when the bytes are no message; nothing of it is used then
     */
    public static Message decode(ByteBuf in) {
        return decode(in, MessageTypes.NONE);
    }

    /**
     * Reads one message, which may be of another algorithm.
     *
     * @throws MalformedFrameException when the bytes are no message; nothing of it is used then
     */
    public static Message decode(ByteBuf in, MessageTypes others) {
        int type = Wire.readUnsignedByte(in);
        if (others.contains(type)) {
            return others.decode(type, in);
        }
        if (GenerationMessageCodec.isOne(type)) {
            return GenerationMessageCodec.decode(type, in);
        }
        if (MaxRegisterCodec.isOne(type)) {
            return MaxRegisterCodec.decode(type, in);
        }
        if (WatchCodec.isOne(type)) {
            return WatchCodec.decode(type, in);
        }
        if (NominationCodec.isOne(type)) {
            return NominationCodec.decode(type, in);
        }
        return switch (type) {
            case EXTEND -> decodeExtend(in);
            case RELEASE -> new Release(Wire.readText(in), Wire.readIncarnation(in), Wire.readNonNegativeLong(in));
            case EXTENDED -> new Extended(Wire.readIncarnation(in), Wire.readLong(in), positions(in), positions(in));
            case UNKNOWN_BATCH -> new UnknownBatch(Wire.readIncarnation(in), Wire.readLong(in));
            case STILL_IN_USE -> new StillInUse(Wire.readText(in), Wire.readIncarnation(in));
            case WANTED ->
                new Wanted(
                        Wire.readText(in),
                        Wire.readIncarnation(in),
                        Wire.readNonNegativeLong(in),
                        Wire.readNonNegativeLong(in),
                        Wire.readBoolean(in),
                        NominationCodec.readOptionalNode(in));
            case RELEASED -> new Released(Wire.readText(in), Wire.readUnsignedShort(in));
            case WITH_NOTE -> {
                String note = readNote(in);
                yield ((Propose) decodeBody(readInner(PROPOSE, in), in)).withNote(note);
            }
            case HELD_WITH_NOTE -> {
                String note = readNote(in);
                yield ((Held) decodeBody(readInner(HELD, in), in)).withNote(note);
            }
            case PREPARE, PROPOSE, OPEN, ACCEPTED, HELD, STALE, REFUSED, IN_USE -> decodeBody(type, in);
            default -> throw new MalformedFrameException("unknown message type " + type);
        };
    }

    /** Before the message whose note it is; a message without one has no such part. */
    private static void writeNote(ByteBuf out, int type, String note) {
        if (!note.isEmpty()) {
            out.writeByte(type);
            Wire.writeText(out, note);
        }
    }

    private static String readNote(ByteBuf in) {
        String note = Wire.readText(in);
        if (note.isEmpty()) {
            throw new MalformedFrameException("a note is empty");
        }
        return note;
    }

    /** What has a note is looked at before it is read, so nothing nests any deeper. */
    private static int readInner(int expected, ByteBuf in) {
        int type = Wire.readUnsignedByte(in);
        if (type != expected) {
            throw new MalformedFrameException("a message of type %d has no note".formatted(type));
        }
        return type;
    }

    private static Message decodeBody(int type, ByteBuf in) {
        String resource = Wire.readText(in);
        Ballot ballot = Wire.readBallot(in);
        long attempt = Wire.readLong(in);
        return switch (type) {
            case PREPARE -> new Prepare(resource, ballot, attempt);
            case PROPOSE ->
                new Propose(
                        resource,
                        ballot,
                        Wire.readNonNegativeLong(in),
                        attempt,
                        Wire.readCode(in, 0, QUEUE_MODES, "queue mode"),
                        Wire.readNonNegativeLong(in),
                        Wire.readNonNegativeLong(in));
            case OPEN -> new Open(resource, ballot, attempt);
            case ACCEPTED -> new Accepted(resource, ballot, attempt, Wire.readBoolean(in));
            case HELD -> readHeld(resource, ballot, attempt, in);
            case IN_USE -> new InUse(resource, ballot, attempt);
            case STALE -> new Stale(resource, ballot, attempt, Wire.readNonNegativeLong(in));
            default ->
                new Refused(
                        resource,
                        ballot,
                        attempt,
                        Wire.readCode(in, 1, REFUSALS, "refusal"),
                        Wire.readNonNegativeLong(in));
        };
    }

    /** Only clients are asked to ask again after some time, and a client knows that value. */
    private static void writePlace(ByteBuf out, Held held) {
        if (held.askAgainNanos() > 0) {
            out.writeByte(ASK_AGAIN);
            out.writeLong(held.askAgainNanos());
        } else {
            out.writeByte(held.queued() ? QUEUED : NOT_QUEUED);
        }
    }

    private static Held readHeld(String resource, Ballot ballot, long attempt, ByteBuf in) {
        Ballot owner = Wire.readBallot(in);
        NodeId ownerNode = Wire.readNodeId(in);
        long remaining = Wire.readNonNegativeLong(in);
        long promised = Wire.readNonNegativeLong(in);
        int place = Wire.readUnsignedByte(in);
        if (place > ASK_AGAIN) {
            throw new MalformedFrameException("unknown place in a queue " + place);
        }
        long askAgain = place == ASK_AGAIN ? Wire.readNonNegativeLong(in) : 0;
        return new Held(
                resource, ballot, attempt, owner, ownerNode, remaining, promised, place == QUEUED, askAgain, Note.NONE);
    }

    private static void head(ByteBuf out, int type, String resource, Ballot ballot, long attempt) {
        out.writeByte(type);
        Wire.writeText(out, resource);
        Wire.writeBallot(out, ballot);
        out.writeLong(attempt);
    }

    private static void encodeExtend(ByteBuf out, Extend message) {
        out.writeByte(EXTEND);
        Wire.writeIncarnation(out, message.incarnation());
        out.writeLong(message.attempt());
        out.writeLong(message.leaseNanos());
        out.writeLong(message.batchId());
        writeCount(out, message.extensions().size());
        for (Extension extension : message.extensions()) {
            Wire.writeText(out, extension.resource());
            out.writeLong(extension.lowestCounter());
        }
    }

    private static Extend decodeExtend(ByteBuf in) {
        var incarnation = Wire.readIncarnation(in);
        long attempt = Wire.readLong(in);
        long leaseNanos = Wire.readNonNegativeLong(in);
        long batchId = Wire.readNonNegativeLong(in);
        List<Extension> extensions =
                readList(in, each -> new Extension(Wire.readText(each), Wire.readNonNegativeLong(each)));
        return new Extend(incarnation, attempt, leaseNanos, batchId, extensions);
    }

    private static void encodeExtended(ByteBuf out, Extended message) {
        out.writeByte(EXTENDED);
        Wire.writeIncarnation(out, message.incarnation());
        out.writeLong(message.attempt());
        writePositions(out, message.missing());
        writePositions(out, message.wanted());
    }

    private static void writePositions(ByteBuf out, List<Integer> positions) {
        writeCount(out, positions.size());
        positions.forEach(out::writeShort);
    }

    private static List<Integer> positions(ByteBuf in) {
        return readList(in, Wire::readUnsignedShort);
    }

    private static void writeCount(ByteBuf out, int count) {
        if (count > MAX_EXTENSIONS) {
            throw new IllegalArgumentException("More than " + MAX_EXTENSIONS + " resources in one message");
        }
        out.writeShort(count);
    }

    private static <T> List<T> readList(ByteBuf in, Function<ByteBuf, T> reader) {
        return Wire.readList(in, Wire.readUnsignedShort(in), MAX_EXTENSIONS, "resources in one message", reader);
    }
}
