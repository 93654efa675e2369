package io.paxoslease.storage;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.node.LocalNode;
import java.util.concurrent.CompletableFuture;

/**
 * Leases that readers share: those that share hold a lease at the same time, and a caller that does not share it waits until all of them have
 * let it lapse. Thread-safe; never blocks.
 */
public final class SharedLeases {

    private final LocalNode node;

    /**
     * The shared leases of a client of shared storage.
     *
     * @throws IllegalArgumentException when the node runs another algorithm
     */
    public SharedLeases(PaxosLease node) {
        this.node = LocalNode.of(node);
        if (!(this.node.options().algorithm() instanceof StorageOptions)) {
            throw new IllegalArgumentException(
                    "The algorithm '%s', which this node runs, has no shared leases: give the node StorageOptions"
                            .formatted(this.node.options().algorithm().algorithm()));
        }
    }

    /**
     * Asks for a lease that others may share.
     *
     * @return completes as the result of {@link PaxosLease#acquire} does
     * @throws IllegalArgumentException as {@link PaxosLease#acquire} throws it
     */
    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how) {
        return node.acquire(resource, how, true);
    }
}
