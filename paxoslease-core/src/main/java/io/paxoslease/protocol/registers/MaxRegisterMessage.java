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

        /** A member that does not take it does not answer. */
        RegisterMode mode();
    }

    /** The register is to have at least that value. */
    record RaiseRegister(long number, String register, long value, RegisterMode mode) implements Request {

        /** In a cell that has never changed. */
        public RaiseRegister(long number, String register, long value) {
            this(number, register, value, RegisterMode.FIRST);
        }
    }

    /** Which value has the register? */
    record ReadRegister(long number, String register, RegisterMode mode) implements Request {

        /** In a cell that has never changed. */
        public ReadRegister(long number, String register) {
            this(number, register, RegisterMode.FIRST);
        }
    }

    /**
     * To a {@link Request}: what the member knows once it has done what was asked.
     *
     * @param value empty: it knows none
     */
    record RegisterValue(long number, OptionalLong value) implements MaxRegisterMessage {}

    /**
     * From a member to another one, which may have forgotten them or is new. Not answered: a {@link ReadRegister} that follows says whether it has
     * come.
     */
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
