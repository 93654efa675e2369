package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.ClientCounts;
import io.paxoslease.ConnectionRefusal;
import io.paxoslease.Lease;
import io.paxoslease.LeaseStatus;
import io.paxoslease.NodeObserver;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.PeerStatus;
import io.paxoslease.StorageOptions;
import io.paxoslease.TlsOptions;
import io.paxoslease.transport.netty.Security;
import java.time.Duration;
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

/** The node that {@link PaxosLease#create} makes. What is public here and not there is for locks and elections. */
public final class LocalNode implements PaxosLease {

    private static final NodeClock SYSTEM = new SystemClock();

    private final PaxosLeaseOptions options;
    private final Function<PaxosLeaseOptions, NodeEnvironment> environments;
    private final LeaseTimes times;
    private final Instruments instruments;
    private final Set<Contest> contests = ConcurrentHashMap.newKeySet();
    private final Security security;
    private volatile @Nullable NodeRuntime running;

    private LocalNode(
            PaxosLeaseOptions options, Function<PaxosLeaseOptions, NodeEnvironment> environments, Security security) {
        this.options = options;
        this.times = new LeaseTimes(options);
        this.instruments = Instruments.of(options.algorithm());
        this.environments = environments;
        this.security = security;
    }

    public static LocalNode create(PaxosLeaseOptions options) {
        Security security = SystemEnvironment.securityOf(options);
        StorageOptions storage = options.storage();
        return new LocalNode(
                options,
                same -> storage == null ? new SystemEnvironment(same, security) : new StorageEnvironment(same, storage),
                security);
    }

    /** A node in environments of the caller's: each start makes one. */
    public static LocalNode create(
            PaxosLeaseOptions options, Function<PaxosLeaseOptions, NodeEnvironment> environments) {
        return new LocalNode(options, environments, new Security(null));
    }

    /** The node behind the public interface, for locks and elections; refuses another implementation. */
    public static LocalNode of(PaxosLease node) {
        if (Objects.requireNonNull(node, "node") instanceof LocalNode local) {
            return local;
        }
        throw new IllegalArgumentException(
                "%s was not made by PaxosLease.create or InMemoryCell: locks and elections need such a node"
                        .formatted(node));
    }

    @Override
    public synchronized void start() {
        if (running == null) {
            running = NodeRuntime.start(options, times, environments.apply(options), instruments);
        }
    }

    @Override
    public synchronized void stop() {
        NodeRuntime node = running;
        if (node != null) {
            running = null;
            node.stop();
        }
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    @Override
    public PaxosLeaseOptions options() {
        return options;
    }

    @Override
    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how) {
        ResourceNames.check(resource);
        NodeRuntime node = running;
        if (node == null) {
            return CompletableFuture.failedFuture(RefusedRequest.stopped());
        }
        long id = node.nextId();
        CompletableFuture<Lease> result = new CompletableFuture<>();
        node.acquire(resource, how, id)
                .whenComplete((lease, failure) -> node.callbacks().answer(result, lease, failure));
        result.whenComplete((lease, failure) -> {
            if (failure != null) {
                node.withdraw(resource, id);
            }
        });
        return result;
    }

    @Override
    public Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException {
        return await(resource, how).map(lease -> lease);
    }

    public Optional<HeldLease> await(String resource, AcquireOptions how) throws InterruptedException {
        return Optional.ofNullable(ask(ResourceNames.check(resource), how).await());
    }

    /** Asks the cell for a lease; throws when the node is stopped. */
    public PendingLease ask(String resource, AcquireOptions how) {
        NodeRuntime node = running;
        if (node == null) {
            throw RefusedRequest.stopped();
        }
        return PendingLease.ask(node, resource, how);
    }

    @Override
    public NodeStatus status() {
        NodeRuntime node = running;
        Inspection inspection = inspection(node);
        if (inspection == null) {
            NodeStatus.State state = node == null ? NodeStatus.State.STOPPED : NodeStatus.State.FAILED;
            return Inspection.statusOf(options, state, clockDisagreements(), peers());
        }
        return inspection.status(clockDisagreements());
    }

    @Override
    public List<String> resources() {
        Inspection inspection = inspection(running);
        return inspection == null ? List.of() : inspection.resources();
    }

    @Override
    public List<LeaseStatus> status(List<String> resources) {
        Inspection inspection = inspection(running);
        return inspection == null ? List.of() : inspection.leases(List.copyOf(resources));
    }

    @Override
    public Optional<LeaseStatus> status(String resource) {
        return status(List.of(resource)).stream().findFirst();
    }

    private Inspection inspect(NodeRuntime node) {
        return new Inspection(node, options, instruments.losses());
    }

    /** Null when there is nothing to look at: the node is not running, or has failed. */
    private @Nullable Inspection inspection(@Nullable NodeRuntime node) {
        return node == null || node.hasFailed() ? null : inspect(node);
    }

    @Override
    public List<PeerStatus> peers() {
        NodeRuntime node = running;
        return node == null ? List.of() : inspect(node).peers();
    }

    @Override
    public Optional<ClientCounts> clients() {
        return Optional.ofNullable(running).map(node -> node.environment().clients());
    }

    @Override
    public int heldLeases() {
        NodeRuntime node = running;
        return node == null ? 0 : node.table().heldCount();
    }

    @Override
    public long clockDisagreements() {
        return instruments.counts().clockDisagreements();
    }

    @Override
    public long clocksApart() {
        return instruments.counts().clocksApartCount();
    }

    @Override
    public Map<String, Long> messagesSent() {
        return instruments.counts().sent();
    }

    @Override
    public Map<String, Long> messagesReceived() {
        return instruments.counts().received();
    }

    @Override
    public Map<ConnectionRefusal, Long> refusedConnections() {
        Map<ConnectionRefusal, Long> counts = new EnumMap<>(ConnectionRefusal.class);
        for (ConnectionRefusal reason : ConnectionRefusal.values()) {
            counts.put(reason, security.refused(reason));
        }
        return counts;
    }

    @Override
    public void reloadTls(TlsOptions tls) {
        if (options.tls() == null) {
            throw new IllegalStateException(
                    "The node was made without TLS: give it tls options, and reload them later");
        }
        tls.check(options.mode(), options.cell(), options.nodeId());
        security.tls(tls.setup());
        SystemEnvironment.checkValidity(options.nodeId(), security);
    }

    @Override
    public void addObserver(NodeObserver observer) {
        instruments.observers().add(Objects.requireNonNull(observer, "observer"));
        contests.forEach(contest -> Observers.tell(observer, each -> each.candidateAdded(contest.role())));
    }

    @Override
    public void removeObserver(NodeObserver observer) {
        instruments.observers().remove(observer);
    }

    public Observers observers() {
        return instruments.observers();
    }

    public List<Contest> contests() {
        return List.copyOf(contests);
    }

    /** From now on the node gives the role up by asking the contest; observers are told of it. */
    public void add(Contest contest) {
        if (contests.add(contest)) {
            observers().tell(observer -> observer.candidateAdded(contest.role()));
        }
    }

    public void remove(Contest contest) {
        contests.remove(contest);
    }

    @Override
    public GivenUp giveUp(String resource) {
        List<Contest> roles = contests.stream()
                .filter(contest -> contest.resource().equals(resource))
                .toList();
        if (!roles.isEmpty()) { // its lease is released when the candidate has finished, not before
            boolean leads = roles.stream().anyMatch(Contest::isLeader);
            roles.forEach(Contest::resign);
            return leads ? GivenUp.YIELDED : GivenUp.NOT_HELD;
        }
        NodeRuntime node = running;
        return node != null && node.table().revoke(resource) ? GivenUp.RELEASED : GivenUp.NOT_HELD;
    }

    public LeaseTimes leaseTimes() {
        return times;
    }

    /** The node's clock; the system's while it is not running. */
    public NodeClock clock() {
        NodeRuntime node = running;
        return node == null ? SYSTEM : node.clock();
    }

    /** Waits that long by the node's clock, or until the node stops; a node that is not running has the system's. */
    public void pause(Duration time) throws InterruptedException {
        NodeRuntime node = running;
        if (node == null) {
            Thread.sleep(time.toMillis());
        } else {
            node.pause(time);
        }
    }
}
