package io.paxoslease.election;

import io.paxoslease.PaxosLeaseException;

/** This node does not lead a role, or leads it no more, and what was asked for is for the leader only. */
public final class NotLeaderException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String role;
    private final boolean begun;

    /**
     * Of work that may have begun.
     *
     * @param role the role that is not led
     * @param message what was refused, and why
     */
    public NotLeaderException(String role, String message) {
        this(role, message, true);
    }

    private NotLeaderException(String role, String message, boolean begun) {
        super(message);
        this.role = role;
        this.begun = begun;
    }

    /**
     * Of a call that was refused before it began.
     *
     * @param role the role that is not led
     * @param message what was refused, and why
     */
    public static NotLeaderException refused(String role, String message) {
        return new NotLeaderException(role, message, false);
    }

    /** Whether the work may have begun; parts of it may have taken effect then. */
    public boolean hasBegun() {
        return begun;
    }

    /** The role that is not led. */
    public String role() {
        return role;
    }
}
