package io.paxoslease;

import org.jspecify.annotations.Nullable;

/** The base of this library's exceptions. The message says what to change. */
public class PaxosLeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PaxosLeaseException(String message) {
        super(message);
    }

    public PaxosLeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
