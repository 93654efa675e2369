package io.paxoslease.transport;

/** The other side speaks another version of the wire format. */
public final class UnsupportedVersionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnsupportedVersionException(int version) {
        super("wire format version %d meets version %d: run the same release of PaxosLease on every node"
                .formatted(version, Frames.VERSION));
    }
}
