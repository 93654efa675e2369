package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.RegisterMode;
import java.util.OptionalLong;

/** The binary form of the messages of max registers, as in {@link MessageCodec}. */
final class MaxRegisterCodec {

    private static final int RAISE_REGISTER = 8;
    private static final int READ_REGISTER = 9;
    private static final int KNOWN_REGISTERS = 10;
    private static final int REGISTER_VALUE = 27;

    private MaxRegisterCodec() {}

    static boolean isOne(Message message) {
        return message instanceof MaxRegisterMessage;
    }

    static boolean isOne(int type) {
        return (type >= RAISE_REGISTER && type <= KNOWN_REGISTERS) || type == REGISTER_VALUE;
    }

    /** Whether the mode of a message of that type counts. */
    static boolean hasMode(int type) {
        return type == RAISE_REGISTER || type == READ_REGISTER;
    }

    static void encode(ByteBuf out, Message message) {
        if (message instanceof Request request && !request.mode().equals(RegisterMode.FIRST)) {
            RegisterMode mode = request.mode();
            GenerationMessageCodec.writeMode(out, mode.number(), mode.content());
        }
        if (message instanceof RaiseRegister m) {
            out.writeByte(RAISE_REGISTER);
            out.writeLong(m.number());
            Wire.writeText(out, m.register());
            out.writeLong(m.value());
        } else if (message instanceof ReadRegister m) {
            out.writeByte(READ_REGISTER);
            out.writeLong(m.number());
            Wire.writeText(out, m.register());
        } else if (message instanceof KnownRegisters m) {
            encodeKnown(out, m);
        } else if (message instanceof RegisterValue m) {
            out.writeByte(REGISTER_VALUE);
            out.writeLong(m.number());
            out.writeBoolean(m.value().isPresent());
            m.value().ifPresent(out::writeLong);
        }
    }

    private static void encodeKnown(ByteBuf out, KnownRegisters message) {
        if (message.registers().size() > KnownRegisters.MOST) {
            throw new IllegalArgumentException("More than " + KnownRegisters.MOST + " registers in one message");
        }
        out.writeByte(KNOWN_REGISTERS);
        out.writeByte(message.registers().size());
        for (Entry each : message.registers()) {
            Wire.writeText(out, each.register());
            out.writeLong(each.value());
        }
    }

    /** Reads what follows the type, which {@link #isOne(int)}. */
    static MaxRegisterMessage decode(int type, ByteBuf in) {
        return decode(type, in, RegisterMode.FIRST);
    }

    /** Reads what follows a mode and the type, which {@link #hasMode}. */
    static MaxRegisterMessage decode(int type, ByteBuf in, RegisterMode mode) {
        return switch (type) {
            case RAISE_REGISTER ->
                new RaiseRegister(Wire.readLong(in), readName(in), Wire.readNonNegativeLong(in), mode);
            case READ_REGISTER -> new ReadRegister(Wire.readLong(in), readName(in), mode);
            case KNOWN_REGISTERS ->
                new KnownRegisters(Wire.readList(
                        in,
                        Wire.readUnsignedByte(in),
                        KnownRegisters.MOST,
                        "registers in one message",
                        each -> new Entry(readName(each), Wire.readNonNegativeLong(each))));
            default -> new RegisterValue(Wire.readLong(in), readValue(in));
        };
    }

    private static OptionalLong readValue(ByteBuf in) {
        return Wire.readBoolean(in) ? OptionalLong.of(Wire.readNonNegativeLong(in)) : OptionalLong.empty();
    }

    private static String readName(ByteBuf in) {
        String name = Wire.readText(in);
        if (name.isEmpty()) {
            throw new MalformedFrameException("a register has no name");
        }
        return name;
    }
}
