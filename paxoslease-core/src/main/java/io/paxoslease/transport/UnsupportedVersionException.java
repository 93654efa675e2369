package io.paxoslease.transport;

/** There is no version of the wire format that both sides speak. */
public final class UnsupportedVersionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnsupportedVersionException(Versions theirs, Versions ours) {
        super("wire format %s meets %s: upgrade the node of the older release first, one release at a time"
                .formatted(theirs, ours));
    }
}
