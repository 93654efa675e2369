package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.Message;
import java.util.List;
import java.util.OptionalLong;

/** What nodes tell each other of max registers: numbers that only grow. Values are not negative. */
public sealed interface MaxRegisterMessage extends Message {

    /** From a node to a member, which answers {@link RegisterValue}. */
    sealed interface Request extends MaxRegisterMessage {

        /** Names the question, so that the answers to an older one are not taken for its own. */
        long number();

        String register();
    }

    /** The register is to have at least that value. */
    record RaiseRegister(long number, String register, long value) implements Request {}

    /** Which value has the register? */
    record ReadRegister(long number, String register) implements Request {}

    /**
     * To a {@link Request}: what the member knows once it has done what was asked.
     *
     * @param value empty: it knows none
     */
    record RegisterValue(long number, OptionalLong value) implements MaxRegisterMessage {}

    /** From a node to a member that it reaches again, which may have forgotten them. Not answered. */
    record KnownRegisters(List<Entry> registers) implements MaxRegisterMessage {

        /** The most that one message names: as long as the longest message that a frame leaves room for. */
        public static final int MOST = 100;

        public KnownRegisters {
            registers = List.copyOf(registers);
        }
    }

    /** A register and the highest value that is known of it. */
    record Entry(String register, long value) {}
}
