package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.MaxRegisters;
import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.TlsOptions;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.transport.netty.Security;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What {@link PaxosLease#create} makes. What is public here and in none of the interfaces is for locks and elections. */
public final class LocalNode implements NodeMonitor, NodeAdmin, MaxRegisters {

    /** The package of {@link PaxosLease} makes the handles of nodes, and no other can. Set once, when its class is loaded. */
    private static volatile @Nullable Function<LocalNode, PaxosLease> handles;

    private static final NodeClock SYSTEM = new SystemClock();

    private final PaxosLeaseOptions options;
    private final NodeAlgorithm algorithm;
    private final LeaseTimes times;
    private final NodeInstrumentation instruments;
    private final Set<NodeElection> contests = ConcurrentHashMap.newKeySet();
    private final Security security;
    final NodeLifecycle lifecycle;
    private final RegisterRequests registers;
    private final GroupSupport groups;
    private final GivingUp givingUp;
    private final PaxosLease handle;

    private LocalNode(
            PaxosLeaseOptions options, Function<PaxosLeaseOptions, NodeEnvironment> environments, Security security) {
        this.options = options;
        this.times = new LeaseTimes(options);
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.instruments = NodeInstrumentation.of(algorithm);
        this.security = security;
        this.lifecycle = new NodeLifecycle(options, environments, security, instruments);
        this.registers = new RegisterRequests(options, lifecycle);
        this.groups = new GroupSupport(this, lifecycle);
        this.givingUp = new GivingUp(contests, groups, lifecycle);
        this.handle = newHandle();
    }

    private PaxosLease newHandle() {
        if (handles == null) {
            try {
                Class.forName("io.paxoslease.DefaultPaxosLease");
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("The jar of paxoslease-core is incomplete", e);
            }
        }
        return Objects.requireNonNull(handles, "handles").apply(this);
    }

    /** Called once, by the class that applications see. */
    public static void makeHandlesWith(Function<LocalNode, PaxosLease> maker) {
        handles = maker;
    }

    /** This node as applications see it; always the same object. */
    public PaxosLease handle() {
        return handle;
    }

    public static LocalNode create(PaxosLeaseOptions options) {
        Security security = SystemEnvironment.securityOf(Objects.requireNonNull(options, "options"));
        return new LocalNode(options, same -> environment(same, security), security);
    }

    private static NodeEnvironment environment(PaxosLeaseOptions options, Security security) {
        NodeEnvironment own = NodeAlgorithm.of(options.algorithm()).environment(options);
        return own == null ? new SystemEnvironment(options, security) : own;
    }

    /** A node in environments of the caller's: each start makes one. */
    public static LocalNode create(
            PaxosLeaseOptions options, Function<PaxosLeaseOptions, NodeEnvironment> environments) {
        return new LocalNode(options, environments, new Security(null));
    }

    /** The node behind its handle, for locks and elections. */
    public static LocalNode of(PaxosLease node) {
        return ((NodeHandle) Objects.requireNonNull(node, "node")).node();
    }

    /** Which algorithm it runs. */
    public NodeAlgorithm algorithm() {
        return algorithm;
    }

    public void start() {
        lifecycle.start();
    }

    public void stop() {
        lifecycle.stop();
    }

    @Override
    public boolean isRunning() {
        return lifecycle.isStarted();
    }

    @Override
    public PaxosLeaseOptions options() {
        return lifecycle.options();
    }

    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how) {
        return acquire(resource, how, false);
    }

    /**
     * Asks the cell for a lease.
     *
     * @param shared whether others that share may hold the lease at the same time; only where the algorithm has shared leases
     */
    public CompletableFuture<Lease> acquire(String resource, AcquireOptions how, boolean shared) {
        ResourceNames.check(resource);
        Objects.requireNonNull(how, "how");
        CompletableFuture<Lease> result = new CompletableFuture<>();
        ClientBootstrap asking = lifecycle.joining();
        if (asking == null) {
            request(resource, how, shared, result);
        } else {
            asking.whenJoined(resource, how, result, left -> request(resource, left, shared, result));
        }
        return result;
    }

    private void request(String resource, AcquireOptions how, boolean shared, CompletableFuture<Lease> result) {
        NodeRuntime node = lifecycle.running();
        if (node == null) {
            result.completeExceptionally(RefusedRequest.stopped());
            return;
        }
        long id = node.table().nextId();
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        OwedAnswer<Lease> owed = node.callbacks().owe(result);
        answer.whenComplete((lease, failure) -> owed.give(lease, failure));
        result.whenComplete((lease, failure) -> {
            if (failure != null) {
                node.withdraw(resource, id);
            }
        });
        node.acquire(
                resource, how, shared, null, id, answer, null); // last: who has no memory to wait for it has not asked
    }

    public Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException {
        PendingLease pending = request(resource, how);
        HeldLease lease = pending == null ? null : pending.await();
        return lease == null ? Optional.empty() : lease.handOver();
    }

    /**
     * Asks the cell for a lease; throws when the node is stopped. Waits only while the node asks who the members are.
     *
     * @return null when the time to wait was over
     */
    public @Nullable PendingLease request(String resource, AcquireOptions how) throws InterruptedException {
        return lifecycle.request(ResourceNames.check(resource), Objects.requireNonNull(how, "how"));
    }

    /** What groups of shards ask of this node. */
    public GroupSupport groups() {
        return groups;
    }

    public LeaseWatch watch(String prefix, LeaseWatchListener listener) {
        return instruments.watches().add(options, algorithm, prefix, listener);
    }

    @Override
    public CompletableFuture<Void> raise(String register, long value) {
        return registers.raise(register, value);
    }

    @Override
    public CompletableFuture<OptionalLong> read(String register) {
        return registers.read(register);
    }

    @Override
    public NodeStatus status() {
        NodeRuntime node = lifecycle.running();
        Inspection inspection = inspection(node);
        long disagreements = clockDisagreements();
        return inspection == null
                ? Inspection.statusOf(options, lifecycle.stateOf(node), disagreements, peers())
                : inspection.status(disagreements);
    }

    @Override
    public Optional<AwaitedVote> awaitedVote() {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null ? Optional.empty() : inspection.awaitedVote(inspection.status(clockDisagreements()));
    }

    @Override
    public List<String> resources() {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null ? List.of() : inspection.resources();
    }

    @Override
    public List<LeaseStatus> status(List<String> resources) {
        Inspection inspection = inspection(lifecycle.running());
        return inspection == null ? List.of() : inspection.leases(List.copyOf(resources));
    }

    private Inspection inspect(NodeRuntime node) {
        return new Inspection(node, lifecycle.options(), instruments.losses());
    }

    /** Null when there is nothing to look at: the node is not running, or has failed. */
    private @Nullable Inspection inspection(@Nullable NodeRuntime node) {
        return node == null || node.hasFailed() ? null : inspect(node);
    }

    @Override
    public Optional<LeaseStatus> status(String resource) {
        return status(List.of(resource)).stream().findFirst();
    }

    @Override
    public List<PeerStatus> peers() {
        ClientBootstrap asking = lifecycle.joining();
        NodeRuntime node = lifecycle.running();
        if (asking != null) {
            return asking.contacts();
        }
        return node == null ? List.of() : inspect(node).peers();
    }

    @Override
    public Optional<ClientCounts> clients() {
        return Optional.ofNullable(lifecycle.running())
                .map(node -> node.environment().clients());
    }

    @Override
    public int heldLeases() {
        NodeRuntime node = lifecycle.running();
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
        return security.refused();
    }

    @Override
    public void reloadTls(TlsOptions tls) {
        Objects.requireNonNull(tls, "tls");
        if (options.tls() == null) {
            throw new IllegalStateException(
                    "The node was made without TLS: give it tls options, and reload them later");
        }
        tls.check(options.mode(), options.cell(), options.nodeId());
        security.tls(SystemEnvironment.setupOf(tls));
        SystemEnvironment.checkValidity(options.nodeId(), security);
    }

    @Override
    public Membership changeMembers(MembershipChange change) {
        return lifecycle.change(Objects.requireNonNull(change, "change"));
    }

    @Override
    public void addObserver(NodeObserver observer) {
        instruments.observers().add(Objects.requireNonNull(observer, "observer"));
        Observers.tell(observer, lifecycle::tellPeers);
        contests.forEach(contest -> Observers.tell(observer, each -> each.candidateAdded(contest.role())));
    }

    @Override
    public void removeObserver(NodeObserver observer) {
        instruments.observers().remove(observer);
    }

    public Observers observers() {
        return instruments.observers();
    }

    /** The elections that this node takes part in. */
    public List<NodeElection> contests() {
        return List.copyOf(contests);
    }

    /** From now on this node gives the role up by asking the contest; observers are told of it. */
    public void contest(NodeElection contest) {
        if (contests.add(contest)) {
            observers().tell(observer -> observer.candidateAdded(contest.role()));
        }
    }

    public void contestNoMore(NodeElection contest) {
        contests.remove(contest);
    }

    @Override
    public GivenUp giveUp(String resource) {
        return givingUp.giveUp(resource);
    }

    @Override
    public GivenUp giveUp(String resource, String nodeId) {
        SuccessorQuestions.check(nodeId, options.nodeId());
        return givingUp.giveUp(resource, nodeId);
    }

    /** The end of a sentence about a request that was not granted: what is wrong with the store; empty if nothing is. */
    public String storeTrouble(String resource) {
        NodeRuntime node = lifecycle.running();
        return RefusedRequest.ofStore(node == null ? null : node.environment().storeTrouble(resource));
    }

    public LeaseTimes leaseTimes() {
        NodeRuntime node = lifecycle.running();
        return node == null ? times : node.times();
    }

    /** The node's clock; the system's while it is not running. */
    public NodeClock clock() {
        NodeRuntime node = lifecycle.running();
        return node == null ? SYSTEM : node.clock();
    }

    /** Waits that long by the node's clock, or until the node stops; a node that is not running has the system's. */
    public void pause(Duration time) throws InterruptedException {
        NodeRuntime node = lifecycle.running();
        if (node == null) {
            Thread.sleep(time.toMillis());
        } else {
            node.pause(time);
        }
    }
}
