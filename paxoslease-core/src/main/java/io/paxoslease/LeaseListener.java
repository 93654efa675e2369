package io.paxoslease;

/** Told when a lease is lost. */
@FunctionalInterface
public interface LeaseListener {

    /**
     * The lease ended without having been released. Called once per listener, on the node's callback executor, soon
     * after the fact: {@link Lease#isHeld()} is false earlier than this is called.
     *
     * @param lease the lease that ended
     * @param reason why it ended
     */
    void onLost(Lease lease, LossReason reason);
}
