package io.paxoslease.spring.fencing;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;

/**
 * A larger fencing token than the caller's was seen: another node has led, or held the lock, since. The data that the
 * transaction read may be out of date, and it must roll back, which {@code @Transactional} does by default. The
 * transaction cannot commit any more, even if this exception is caught within it. A retry with the same token fails
 * again.
 */
public final class StaleTokenException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String resource;
    private final long token;
    private final long latestToken;

    StaleTokenException(String resource, long token, long latestToken) {
        super(("The fencing token %d for '%s' is too old: %d was seen, so another node has led or held the lock since. "
                        + "Roll back, and leave the work to that node.")
                .formatted(token, Printable.name(resource), latestToken));
        this.resource = resource;
        this.token = token;
        this.latestToken = latestToken;
    }

    /** The resource that the fence guards. */
    public String resource() {
        return resource;
    }

    /** The token that was refused. */
    public long token() {
        return token;
    }

    /** The largest token that was seen; larger than {@link #token()}. */
    public long latestToken() {
        return latestToken;
    }
}
