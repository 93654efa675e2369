package io.paxoslease.election;

import io.paxoslease.PaxosLeaseException;

/** This node does not lead a role, or leads it no more, and what was asked for is for the leader only. */
public final class NotLeaderException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String role;

    /**
     * @param role the role that is not led
     * @param message what was refused, and why
     */
    public NotLeaderException(String role, String message) {
        super(message);
        this.role = role;
    }

    /** The role that is not led. */
    public String role() {
        return role;
    }
}
