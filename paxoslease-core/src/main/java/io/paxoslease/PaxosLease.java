package io.paxoslease;

import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.transport.netty.PeerState;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One node of a cell: the members agree among themselves who holds which lease, in memory, without a server. Every method
 * may be called by any thread; none but {@link #tryAcquire}, {@link #start}, {@link #stop} and the status methods blocks.
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
public final class PaxosLease implements AutoCloseable {

    /** The longest resource name, in bytes of UTF-8. */
    public static final int MAX_RESOURCE_BYTES = 255;

    private static final int STATUS_LIMIT = 10_000;

    private final PaxosLeaseOptions options;
    private final Function<PaxosLeaseOptions, Wiring> wirings;
    private volatile @Nullable RunningNode running;

    private PaxosLease(PaxosLeaseOptions options, Function<PaxosLeaseOptions, Wiring> wirings) {
        this.options = options;
        this.wirings = wirings;
    }

    /** A node that is not started yet. */
    public static PaxosLease create(PaxosLeaseOptions options) {
        return create(options, SystemWiring::of);
    }

    /** @param wirings what each start stands on */
    static PaxosLease create(PaxosLeaseOptions options, Function<PaxosLeaseOptions, Wiring> wirings) {
        return new PaxosLease(options, wirings);
    }

    /**
     * Listens on this node's port and begins to take part. Its acceptor is silent until everything that an earlier life of
     * this node may have granted has expired; requests wait as long. Does nothing when started. A node that was stopped may
     * be started again.
     *
     * @throws NodeStartException when the port is in use, or this node's own host does not resolve
     */
    public synchronized void start() {
        if (running == null) {
            running = RunningNode.start(options, wirings.apply(options));
        }
    }

    /**
     * Ends every lease of this node, tells the cell that they are free, and closes its connections. Listeners of leases
     * that were held are told {@link LossReason#STOPPED}. Does nothing when stopped.
     */
    public synchronized void stop() {
        RunningNode node = running;
        if (node != null) {
            running = null;
            node.stop();
        }
    }

    /** The same as {@link #stop()}. */
    @Override
    public void close() {
        stop();
    }

    /** Whether the node is started. */
    public boolean isRunning() {
        return running != null;
    }

    /** What the node was made with. */
    public PaxosLeaseOptions options() {
        return options;
    }

    /**
     * Asks the cell for a lease. Requests of one node for the same resource are served in order, one at a time.
     *
     * @param resource its name, at most {@value #MAX_RESOURCE_BYTES} bytes of UTF-8
     * @return completes on the callback executor: with the lease; with {@link LeaseTimeoutException} when the time to wait
     *     was over; with {@link PaxosLeaseException} when the node is stopped. Cancelling it withdraws the request.
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how) {
        checkResource(resource);
        RunningNode node = running;
        if (node == null) {
            return CompletableFuture.failedFuture(LeaseTable.stopped());
        }
        long id = node.nextId();
        CompletableFuture<Lease> result = new CompletableFuture<>();
        node.acquire(resource, how, id)
                .whenComplete((lease, failure) -> node.callBack(() -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (!result.complete(lease)) {
                        lease.release();
                    }
                }));
        result.whenComplete((lease, failure) -> {
            if (failure != null) {
                node.withdraw(resource, id);
            }
        });
        return result;
    }

    /**
     * The same for a caller that waits.
     *
     * @return the lease, or nothing when the time to wait was over
     * @throws InterruptedException when the caller was interrupted; the request is withdrawn
     * @throws PaxosLeaseException when the node is stopped
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    public Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException {
        return await(resource, how).map(lease -> lease);
    }

    Optional<HeldLease> await(String resource, AcquireOptions how) throws InterruptedException {
        checkResource(resource);
        RunningNode node = running;
        if (node == null) {
            throw LeaseTable.stopped();
        }
        long id = node.nextId();
        CompletableFuture<HeldLease> answer = node.acquire(resource, how, id);
        try {
            return Optional.of(answer.get());
        } catch (InterruptedException e) {
            if (!answer.completeExceptionally(e) && !answer.isCompletedExceptionally()) {
                answer.join().release();
            }
            node.withdraw(resource, id);
            throw e;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof LeaseTimeoutException) {
                return Optional.empty();
            }
            throw new PaxosLeaseException(cause == null ? "No lease" : String.valueOf(cause.getMessage()), cause);
        }
    }

    /**
     * What this node is and knows, at most {@value #STATUS_LIMIT} leases. Asks the node's thread and waits for its answer.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public NodeStatus status() {
        RunningNode node = running;
        if (node == null || node.hasFailed()) {
            return status(
                    "", node == null ? NodeStatus.State.STOPPED : NodeStatus.State.FAILED, 0, List.of(), List.of());
        }
        NodeView view = node.view(STATUS_LIMIT);
        long silent = view.quarantineRemainingNanos();
        return status(
                view.incarnation().toString(),
                silent > 0 ? NodeStatus.State.QUARANTINED : NodeStatus.State.SERVING,
                silent,
                node.peers().stream().map(this::toStatus).toList(),
                view.leases().stream().map(PaxosLease::toStatus).toList());
    }

    private NodeStatus status(
            String incarnation,
            NodeStatus.State state,
            long silentNanos,
            List<PeerStatus> peers,
            List<LeaseStatus> leases) {
        return new NodeStatus(
                options.nodeId(),
                options.cell(),
                incarnation,
                state,
                Duration.ofNanos(silentNanos),
                options.leaseTime(),
                options.maxLeaseTime(),
                peers,
                leases);
    }

    /**
     * What this node knows of one resource; empty when nothing.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public Optional<LeaseStatus> status(String resource) {
        RunningNode node = running;
        return node == null || node.hasFailed()
                ? Optional.empty()
                : Optional.ofNullable(node.view(resource)).map(PaxosLease::toStatus);
    }

    private PeerStatus toStatus(PeerState peer) {
        InetSocketAddress address = options.peers().get(peer.node().name());
        String text = address == null ? "" : address.getHostString() + ":" + address.getPort();
        return new PeerStatus(peer.node().name(), text, peer.connected(), peer.problem());
    }

    private static LeaseStatus toStatus(LeaseView view) {
        boolean held = view.state() == LeaseView.State.HELD || view.state() == LeaseView.State.SUSPECT;
        return new LeaseStatus(
                view.resource(),
                LeaseStatus.State.valueOf(view.state().name()),
                view.owner() == null ? null : view.owner().name(),
                held ? view.token() : null,
                view.counter() > 0 ? view.counter() : null,
                view.remainingNanos() < 0 ? null : Duration.ofNanos(view.remainingNanos()),
                view.renewals());
    }

    /** How long the holder of a renewed lease may rely on it after each renewal. */
    Duration defaultLeaseTime() {
        return holdersTime(options.leaseTime());
    }

    /** How long a holder may rely on a lease that others wait for that long. */
    Duration holdersTime(Duration othersWait) {
        return Duration.ofNanos(options.timing().leaseNanosWithin(othersWait.toNanos()));
    }

    /** Waits that long by the node's clock, or until the node stops; a node that is not running has the system's. */
    void pause(Duration time) throws InterruptedException {
        RunningNode node = running;
        if (node == null) {
            Thread.sleep(time.toMillis());
        } else {
            node.pause(time);
        }
    }

    static String checkResource(String resource) {
        int length = resource.getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > MAX_RESOURCE_BYTES) {
            throw new IllegalArgumentException(
                    "A resource name has 1 to %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
                            .formatted(MAX_RESOURCE_BYTES, length, resource));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(resource)) {
            throw new IllegalArgumentException(
                    "A resource name must be valid Unicode, and this one has half of a surrogate pair: '" + resource
                            + "'");
        }
        return resource;
    }
}
