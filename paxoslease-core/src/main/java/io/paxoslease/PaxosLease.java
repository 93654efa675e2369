package io.paxoslease;

import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One node of a cell, a member or a client ({@link NodeMode}). The members agree among themselves who holds which lease, in memory, without
 * a server. Thread-safe. Only {@link #tryAcquire}, {@link #start} and {@link #stop} block.
 *
 * <pre>{@code
 * var options = PaxosLeaseOptions.builder("a")
 *         .peer("a", "10.0.0.1:7400").peer("b", "10.0.0.2:7400").peer("c", "10.0.0.3:7400")
 *         .build();
 * try (var node = PaxosLease.create(options)) {
 *     node.start();
 *     Lease lease = node.acquire("report", AcquireOptions.renewing()).join();
 *     if (lease.isHeld()) { ... }
 *     lease.release();
 * }
 * }</pre>
 */
public sealed interface PaxosLease extends AutoCloseable permits DefaultPaxosLease {

    /** The longest resource name, in bytes of UTF-8. */
    int MAX_RESOURCE_BYTES = 255;

    /**
     * Makes a node; {@link #start} it before use.
     *
     * @throws InvalidOptionException when the options do not go together
     */
    static PaxosLease create(PaxosLeaseOptions options) {
        return DefaultPaxosLease.create(options);
    }

    /**
     * Opens this node's port, if it is a member, and joins the cell. Its acceptor is silent until everything that an earlier run of this node
     * may have granted has expired; requests wait that long. A client with contact points asks them who the members are: requests wait for an
     * answer, this method does not. Does nothing when started. A stopped node may be started again.
     *
     * @throws NodeStartException when the port is in use, or this node's own host does not resolve
     */
    void start();

    /**
     * Ends every lease of this node, tells the cell that they are free, and closes its connections. Listeners of leases
     * that were held are told {@link LossReason#STOPPED}. The lease of a role or of a shard for which work still runs is not released:
     * it expires, except in a cell of one, which forgets it. Stop elections and groups of shards first. Does nothing when stopped.
     */
    void stop();

    /** Stops this node: {@link #stop} for try-with-resources. */
    @Override
    default void close() {
        stop();
    }

    /**
     * Asks the cell for a lease. Requests of one node for the same resource are served in order, one at a time.
     *
     * @param resource its name, at most {@value #MAX_RESOURCE_BYTES} bytes of UTF-8
     * @return completes on the callback executor: with the lease; with {@link LeaseTimeoutException} when the time to wait has passed; with
     *     {@link PaxosLeaseException} when the node is stopped, or no thread could be had to hand the lease over, which is then
     *     released. Cancelling it withdraws the request.
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    CompletableFuture<Lease> acquire(String resource, AcquireOptions how);

    /**
     * Asks the cell for a lease and waits for the answer.
     *
     * @return the lease; empty when the time to wait has passed
     * @throws InterruptedException when the caller was interrupted; the request is withdrawn
     * @throws PaxosLeaseException when the node is stopped
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException;

    /**
     * Watches who holds the leases whose names begin with the prefix. The members tell of each change, within milliseconds; the listener is told at
     * once of what is held. Works before {@link #start}, and over stops and starts. Advice: no exclusion rests on it.
     *
     * @param prefix a name, or the beginning of names, of leases of roles or shards: it begins with {@code role:}, {@code shard:} or {@code shards:}.
     *     It may be the whole name of one lease; then leases with longer names are watched as well
     * @param listener told on the callback executor
     * @throws IllegalArgumentException when leases with that prefix cannot be watched, or it is longer than {@value #MAX_RESOURCE_BYTES} bytes
     * @throws IllegalStateException when this node watches 64 prefixes already
     * @throws UnsupportedOperationException when the node runs another algorithm than PaxosLease
     */
    LeaseWatch watch(String prefix, LeaseWatchListener listener);

    /** What this node is and knows: status, counters, peers, clients, observers. */
    NodeMonitor monitor();

    /** What operators do with this node: change the members, reload certificates, give a lease up. */
    NodeAdmin admin();

    /** The max registers of the cell: numbers that only grow. */
    MaxRegisters registers();
}
