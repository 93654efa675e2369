package io.paxoslease;

import org.jspecify.annotations.Nullable;

/**
 * A node that could not start: it cannot listen, its store cannot be used or has another configuration, or the starter refuses its
 * configuration.
 */
public final class NodeStartException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param description what happened
     * @param action what to change
     * @param cause the failure below, if there is one
     */
    public NodeStartException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.action = action;
    }

    /** What to change. */
    public String action() {
        return action;
    }
}
