package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import io.paxoslease.protocol.registers.RegisterMode;

/** The binary form of the messages of cells that change their members, as in {@link MessageCodec}. */
final class GenerationMessageCodec {

    private static final int IN_MODE = 6;
    private static final int ASK_STANDING = 7;
    private static final int STANDING = 26;

    private GenerationMessageCodec() {}

    static boolean isOne(Message message) {
        return message instanceof InMode || message instanceof AskStanding || message instanceof Standing;
    }

    static boolean isOne(int type) {
        return type == IN_MODE || type == ASK_STANDING || type == STANDING;
    }

    static void encode(ByteBuf out, Message message) {
        if (message instanceof InMode m) {
            PaxosMessage.Request request = m.request();
            if (!(request instanceof Prepare || request instanceof Propose || request instanceof Extend)) {
                throw new IllegalArgumentException("A request that has no mode: " + request);
            }
            writeMode(out, m.mode(), m.content());
            MessageCodec.encode(out, request);
        } else if (message instanceof AskStanding m) {
            out.writeByte(ASK_STANDING);
            out.writeLong(m.nonce());
        } else if (message instanceof Standing m) {
            out.writeByte(STANDING);
            out.writeLong(m.nonce());
            Wire.writeIncarnation(out, m.boot());
            out.writeInt(m.sealed());
            GenerationCodec.write(out, m.generation());
        }
    }

    /** Before a request that has that mode. */
    static void writeMode(ByteBuf out, int mode, long content) {
        out.writeByte(IN_MODE);
        out.writeInt(mode);
        out.writeLong(content);
    }

    /** Reads what follows the type, which {@link #isOne(int)}. */
    static Message decode(int type, ByteBuf in) {
        return switch (type) {
            case IN_MODE -> decodeInMode(in);
            case ASK_STANDING -> new AskStanding(Wire.readLong(in));
            default -> decodeStanding(in);
        };
    }

    /** What it holds is looked at before it is read: one request has one mode, so nothing nests any deeper. */
    private static Message decodeInMode(ByteBuf in) {
        int mode = GenerationCodec.readNumber(in);
        long content = Wire.readLong(in);
        int type = in.isReadable() ? in.getUnsignedByte(in.readerIndex()) : 0;
        if (MaxRegisterCodec.hasMode(type)) {
            RegisterMode named = new RegisterMode(mode, content);
            if (named.equals(RegisterMode.FIRST)) {
                throw new MalformedFrameException("a request on a register names the mode that it has without");
            }
            return MaxRegisterCodec.decode(Wire.readUnsignedByte(in), in, named);
        }
        if (!MessageCodec.hasMode(type)) {
            throw new MalformedFrameException("a request of type %d has no mode".formatted(type));
        }
        return new InMode(mode, content, (PaxosMessage.Request) MessageCodec.decode(in));
    }

    private static Standing decodeStanding(ByteBuf in) {
        long nonce = Wire.readLong(in);
        var boot = Wire.readIncarnation(in);
        int sealed = GenerationCodec.readNumber(in);
        return new Standing(nonce, boot, GenerationCodec.read(in), sealed);
    }
}
