package io.paxoslease;

import io.paxoslease.protocol.Printable;

/** A lease is not handed over to the node that was named. Nothing has been released, and no work has been interrupted. */
public final class HandOverException extends PaxosLeaseException {

    private static final long serialVersionUID = 1;

    private final Nomination nomination;

    /**
     * @param resource the lease
     * @param nodeId the node that was named
     * @param nomination why it cannot be the next holder
     */
    public HandOverException(String resource, String nodeId, Nomination nomination) {
        super("Lease '%s' is not handed over to node '%s': %s"
                .formatted(Printable.name(resource), Printable.name(nodeId), nomination.reason()));
        this.nomination = nomination;
    }

    /** Why the node that was named cannot be the next holder; never {@link Nomination#QUEUED}. */
    public Nomination nomination() {
        return nomination;
    }
}
