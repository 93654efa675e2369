package io.paxoslease.protocol.storage;

/** What is in a register was not written by a client of this version. */
final class UnreadableStampException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadableStampException(String message) {
        super(message);
    }
}
