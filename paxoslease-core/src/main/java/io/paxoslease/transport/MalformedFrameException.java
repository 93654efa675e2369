package io.paxoslease.transport;

/** Bytes that are no frame of this protocol. The connection they came over is closed. */
public final class MalformedFrameException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String message) {
        super(message);
    }
}
