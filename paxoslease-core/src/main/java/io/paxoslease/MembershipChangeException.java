package io.paxoslease;

import org.jspecify.annotations.Nullable;

/** A change of the members that has been refused, or is not known to be stored. Nothing has changed unless the reason says so. */
public final class MembershipChangeException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** The node has no {@link MembershipStore}. */
        NO_STORE,
        /** The node is not one of the members, which alone know whether the last change is over. */
        NOT_A_MEMBER,
        /** The last change is not finished: its generation is not sealed, or this node has not come to it. */
        UNDER_WAY,
        /** Another node has stored a change at the same time. */
        CONFLICT,
        /** The store failed: whether the change is stored shows when it is read again, which every node does by itself. */
        STORE
    }

    private final Reason reason;

    /**
     * @param message what happened, and what to do
     * @param cause the failure below, if there is one
     */
    public MembershipChangeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
