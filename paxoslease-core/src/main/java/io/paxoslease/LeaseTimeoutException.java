package io.paxoslease;

/** A lease that was not granted within the time the caller was ready to wait. */
public final class LeaseTimeoutException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    /** @param message which resource, how long, and what stood in the way as far as is known */
    public LeaseTimeoutException(String message) {
        super(message);
    }
}
