package io.paxoslease.protocol.flease;

/**
 * What one acceptor has of one register.
 *
 * @param written the round in which it was written; {@link Round#NONE} when it never was
 * @param value what was written
 */
public record Stored(Round written, Value value) {

    /** What an acceptor has of a register that it does not know. */
    public static final Stored NOTHING = new Stored(Round.NONE, Value.NOTHING);
}
