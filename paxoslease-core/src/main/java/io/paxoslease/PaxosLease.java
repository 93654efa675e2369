package io.paxoslease;

import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.netty.Refusal;
import io.paxoslease.transport.netty.Security;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

    private final PaxosLeaseOptions options;
    private final Function<PaxosLeaseOptions, Wiring> wirings;
    private final Instruments instruments;
    private final Set<LeaderElection> elections = ConcurrentHashMap.newKeySet();
    private final Security security;
    private volatile @Nullable RunningNode running;

    private PaxosLease(PaxosLeaseOptions options, Function<PaxosLeaseOptions, Wiring> wirings, Security security) {
        this.options = options;
        this.instruments = Instruments.of(options.algorithm());
        this.wirings = wirings;
        this.security = security;
    }

    /** A node that is not started yet. */
    public static PaxosLease create(PaxosLeaseOptions options) {
        Security security = SystemWiring.securityOf(options);
        StorageOptions storage = options.storage();
        return new PaxosLease(
                options,
                same -> storage == null ? new SystemWiring(same, security) : new StorageWiring(same, storage),
                security);
    }

    /** @param wirings what each start stands on */
    static PaxosLease create(PaxosLeaseOptions options, Function<PaxosLeaseOptions, Wiring> wirings) {
        return new PaxosLease(options, wirings, new Security(null));
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
            running = RunningNode.start(options, wirings.apply(options), instruments);
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
     *     was over; with {@link PaxosLeaseException} when the node is stopped, or when the lease was granted and no thread could
     *     be had to hand it over, in which case it has been released. Cancelling it withdraws the request.
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
        node.acquire(resource, how, id).whenComplete((lease, failure) -> node.answer(result, lease, failure));
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
        return Optional.ofNullable(ask(checkResource(resource), how).await(AskedLease.WITHOUT_LIMIT));
    }

    /** @throws PaxosLeaseException when the node is stopped */
    AskedLease ask(String resource, AcquireOptions how) {
        RunningNode node = running;
        if (node == null) {
            throw LeaseTable.stopped();
        }
        return AskedLease.ask(node, resource, how);
    }

    /**
     * What this node is. Asks the node's thread and waits for its answer.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public NodeStatus status() {
        RunningNode node = running;
        long disagreements = instruments.counts().clockDisagreements();
        if (node == null || node.hasFailed()) {
            return new NodeStatus(
                    options.nodeId(),
                    options.cell(),
                    "",
                    node == null ? NodeStatus.State.STOPPED : NodeStatus.State.FAILED,
                    null,
                    new NodeStatus.Clocks(false, disagreements),
                    options.leaseTime(),
                    options.maxLeaseTime(),
                    peers(),
                    null,
                    null);
        }
        return inspect(node).status(new NodeStatus.Clocks(node.trustsClocks(), disagreements));
    }

    /**
     * The names of the resources that this node holds, waits for, has a record of as an acceptor, or has lost lately, in
     * alphabetical order. Asks the node's thread in small steps, so that however many there are, no lease is renewed later for
     * it; what comes or goes meanwhile may be in it or not.
     *
     * @return empty when the node is not running
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public List<String> resources() {
        RunningNode node = running;
        return node == null || node.hasFailed()
                ? List.of()
                : Collections.unmodifiableList(inspect(node).resources());
    }

    /**
     * What this node knows of each of these resources, without those that it knows nothing of. Asks the node's thread in small
     * steps.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public List<LeaseStatus> status(List<String> resources) {
        RunningNode node = running;
        return node == null || node.hasFailed() ? List.of() : inspect(node).leases(List.copyOf(resources));
    }

    /**
     * What this node knows of one resource; empty when nothing.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public Optional<LeaseStatus> status(String resource) {
        return status(List.of(resource)).stream().findFirst();
    }

    private Inspection inspect(RunningNode node) {
        return new Inspection(node, options, instruments.losses());
    }

    /** What this node knows of the other members. Never blocks. */
    public List<PeerStatus> peers() {
        RunningNode node = running;
        return node == null ? List.of() : inspect(node).peers();
    }

    /** How many leases this node holds. */
    public int heldLeases() {
        RunningNode node = running;
        return node == null ? 0 : node.heldCount();
    }

    /** How often the clocks of this process disagreed since this node was made. */
    public long clockDisagreements() {
        return instruments.counts().clockDisagreements();
    }

    /**
     * How often a request of this node backed off since no majority of the members' wall clocks are near enough to each other for one
     * ballot counter to do for them (section 7). Set the clocks right (NTP). Always zero with Flease and with storage.
     */
    public long clocksApart() {
        return instruments.counts().clocksApartCount();
    }

    /** Messages to other nodes since this node was made, lost ones included, by type: {@code prepare} and so on. */
    public Map<String, Long> messagesSent() {
        return instruments.counts().sent();
    }

    /** Messages from other nodes since this node was made, by type: {@code prepare} and so on. */
    public Map<String, Long> messagesReceived() {
        return instruments.counts().received();
    }

    /**
     * How many connections came to nothing, by reason, since this object was made: it counts on over stops and starts.
     * Every reason has an entry.
     */
    public Map<ConnectionRefusal, Long> refusedConnections() {
        Map<ConnectionRefusal, Long> counts = new EnumMap<>(ConnectionRefusal.class);
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            counts.put(reason, security.refused(Refusal.valueOf(reason.name())));
        }
        return counts;
    }

    /**
     * Uses other keys and certificates from now on, also over a stop and start. No connection is dropped: those that are
     * open are made anew, one after the other, within seconds. One that cannot be made anew ends after a minute.
     *
     * @throws InvalidOptionException when the certificate does not name this node and node ids are verified; what was used
     *     before stays in use
     * @throws IllegalStateException when the node was made without TLS
     */
    public void reloadTls(TlsOptions tls) {
        if (options.tls() == null) {
            throw new IllegalStateException(
                    "The node was made without TLS: give it tls options, and reload them later");
        }
        tls.checkNames(options.cell(), options.nodeId());
        security.tls(tls.setup());
        SystemWiring.checkValidity(options.nodeId(), security);
    }

    /** From now on, tells the observer what this node does. */
    public void addObserver(NodeObserver observer) {
        instruments.observers().add(Objects.requireNonNull(observer, "observer"));
        elections.forEach(election -> Observers.tell(observer, each -> each.standsFor(election)));
    }

    /** Ends {@link #addObserver}. */
    public void removeObserver(NodeObserver observer) {
        instruments.observers().remove(observer);
    }

    Observers observers() {
        return instruments.observers();
    }

    /** The elections that this node stands in. */
    public List<LeaderElection> elections() {
        return List.copyOf(elections);
    }

    void stands(LeaderElection election) {
        if (elections.add(election)) {
            observers().tell(observer -> observer.standsFor(election));
        }
    }

    void standsNoMore(LeaderElection election) {
        elections.remove(election);
    }

    /**
     * Gives up what this node holds of a resource, so that another node may have it. A role is resigned from: revoked first, then
     * released, after which this node stands back for the cool-down. Any other lease is taken away from whoever holds it here:
     * {@link Lease#isHeld()} is false, and listeners are told {@link LossReason#REVOKED}, before the cell hears that it is free;
     * but a thread that works under it may not have noticed yet. Returns at once.
     */
    public GivenUp giveUp(String resource) {
        List<LeaderElection> roles = elections.stream()
                .filter(election -> election.resource().equals(resource))
                .toList();
        if (!roles.isEmpty()) { // its lease is released when the candidate has finished, not before
            boolean leads = roles.stream().anyMatch(LeaderElection::isLeader);
            roles.forEach(LeaderElection::resign);
            return leads ? GivenUp.YIELDED : GivenUp.NOT_HELD;
        }
        RunningNode node = running;
        return node != null && node.revoke(resource) ? GivenUp.RELEASED : GivenUp.NOT_HELD;
    }

    /** What {@link #giveUp} did. */
    public enum GivenUp {
        /** The role was resigned from. */
        YIELDED,
        /** The lease was taken away and released. */
        RELEASED,
        /** This node does not hold it. */
        NOT_HELD
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
        return isPlain(resource) ? resource : checkAnyResource(resource);
    }

    /** Of the characters that nearly all names consist of: no other check is needed. */
    private static boolean isPlain(String resource) {
        int length = resource.length();
        for (int i = 0; i < length; i++) {
            if (resource.charAt(i) >= 0x80) {
                return false;
            }
        }
        return length > 0 && length <= MAX_RESOURCE_BYTES;
    }

    private static String checkAnyResource(String resource) {
        int length = resource.getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > MAX_RESOURCE_BYTES) {
            throw new IllegalArgumentException(
                    "A resource name has 1 to %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
                            .formatted(MAX_RESOURCE_BYTES, length, Printable.name(resource)));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(resource)) {
            throw new IllegalArgumentException(
                    "A resource name must be valid Unicode, and this one has half of a surrogate pair: '"
                            + Printable.name(resource) + "'");
        }
        return resource;
    }
}
