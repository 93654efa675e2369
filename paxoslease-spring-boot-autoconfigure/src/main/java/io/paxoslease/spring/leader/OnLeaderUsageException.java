package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLeaseException;

/** An {@link OnLeader} method that cannot be guarded. Thrown while the application starts. */
public final class OnLeaderUsageException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * @param description which method, and why it cannot be guarded
     * @param action what to change
     */
    OnLeaderUsageException(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    /** Which method, and why it cannot be guarded. */
    public String description() {
        return description;
    }

    /** What to change. */
    public String action() {
        return action;
    }
}
