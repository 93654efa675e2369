package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Quorum;

/**
 * Which members decide on a request: those of one list, or of a list and the one before it. A request has one mode, and a member that does not
 * take it says nothing. So what one list has decided alone, members that have moved to the next one do not decide any more.
 *
 * @param number as {@link Quorum#mode}
 * @param content of the generation, as {@link Generation#content}
 */
public record RegisterMode(int number, long content) {

    /** Of a cell that has never changed. */
    public static final RegisterMode FIRST = new RegisterMode(Quorum.FIRST, 0);

    public RegisterMode {
        if (number < 0) {
            throw new IllegalArgumentException("No mode is negative: " + number);
        }
    }

    /** The mode in which these decide. */
    public static RegisterMode of(Quorum members) {
        return new RegisterMode(members.mode(), members.content());
    }
}
