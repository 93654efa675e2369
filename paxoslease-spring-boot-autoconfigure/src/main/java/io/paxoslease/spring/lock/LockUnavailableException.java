package io.paxoslease.spring.lock;

import io.paxoslease.PaxosLeaseException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * A call of a {@link Locked} method that was not granted the lock in time. The method was not called. Over HTTP it is 409 (conflict), unless
 * the application handles it.
 */
@ResponseStatus(HttpStatus.CONFLICT)
public final class LockUnavailableException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String key;

    LockUnavailableException(String key, String message) {
        super(message);
        this.key = key;
    }

    /** The key of the lock. */
    public String key() {
        return key;
    }
}
