package io.paxoslease.testing;

import io.paxoslease.AcquireOptions;
import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.NodeEnvironment;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A whole cell in one process, for tests of code that uses leases, locks and elections: production nodes without sockets,
 * on a clock that only the test moves. No ports, no sleeping, and the same tokens in every run.
 *
 * <pre>{@code
 * try (var cell = InMemoryCell.of("a", "b", "c")) {
 *     Lease lease = cell.node("a").acquire("report", AcquireOptions.renewing()).join();
 *     cell.disconnect("a");
 *     cell.advance(Duration.ofSeconds(4));
 *     assertThat(lease.isHeld()).isFalse();
 *     assertThat(cell.node("b").tryAcquire("report", AcquireOptions.renewing())).isPresent();
 * }
 * }</pre>
 *
 * <p><b>Time.</b> Both clocks of every node are the cell's. It stands still, except in {@link #advance}, and for a microsecond after
 * each attempt to acquire a lease, so that ballots differ. Actions that need no time complete at once: an uncontended request, and
 * the grant to a waiter after a release. Everything that waits for time waits until the clock is moved: for an expiry, for a limit such
 * as {@link AcquireOptions#maxWait()}, for another attempt after a conflict, for nodes that do not answer (up to a second, also when asked
 * once), and for two milliseconds where a node has just released what another waited for. So a thread that moves the clock must not
 * itself wait in a node: it asks with {@link PaxosLease#acquire}, advances, and then reads the result.
 *
 * <p><b>Limits of locks and elections</b> are in the cell's time too: of a thread that waits for a {@link LeaseLock}, of an idle lock that
 * is retained, of {@link LeaderElection#stop}, and of a candidate and guarded calls after a leadership has ended. A thread that waits
 * for another thread, in {@code tryLock} or in {@code stop}, also stops waiting when its limit has passed in real time, so that it does
 * not hang if the clock stands still. An answer of a suspended node is awaited in real time.
 *
 * <p><b>Threads.</b> One daemon thread runs all nodes. Callbacks run on a daemon thread per node, as in production. A call to
 * a node, and every method here, returns when all that follows from it at that instant has happened on every node.
 * {@link #advance}, and methods that change the cell, also let callbacks return at every instant on the way, so that a callback sees
 * the time it was called at. They do not wait for a callback that takes more than a second of real time, or itself waits for the cell,
 * nor for other threads: those of a {@link LeaderElection} and of the test. All methods may be called by any thread, callbacks included.
 *
 * <p>Nothing is shared between cells. Nodes may be stopped and started like any others. An id that the cell has no node of is refused
 * with {@link IllegalArgumentException}; a closed cell refuses changes with {@link IllegalStateException}.
 */
public final class InMemoryCell implements AutoCloseable {

    private static final Duration LONGEST_MOVE = Duration.ofDays(365);

    private final InMemoryTime time = new InMemoryTime();
    private final InMemoryNetwork network;
    private final Map<String, PaxosLease> nodes = Collections.synchronizedMap(new LinkedHashMap<>());

    private InMemoryCell(Map<String, PaxosLeaseOptions> options) {
        this.network = new InMemoryNetwork(time, options.values());
        options.forEach(
                (id, each) -> nodes.put(id, LocalNode.create(each, this::wire).handle()));
    }

    /**
     * A cell of these nodes with the default lease times, {@link PaxosLeaseOptions#DEFAULT_LEASE_TIME} and
     * {@link PaxosLeaseOptions#DEFAULT_MAX_LEASE_TIME}. All of them are started, serve, and reach each other.
     *
     * @throws InvalidOptionException when an id is no valid node id, or is listed twice
     * @throws IllegalArgumentException when there is no id
     */
    public static InMemoryCell of(String... nodeIds) {
        return of(PaxosLeaseOptions.DEFAULT_LEASE_TIME, PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME, nodeIds);
    }

    /**
     * The same with lease times of one's own.
     *
     * @param leaseTime see {@link PaxosLeaseOptions.Builder#leaseTime(Duration)}
     * @param maxLeaseTime see {@link PaxosLeaseOptions.Builder#maxLeaseTime(Duration)}
     * @throws InvalidOptionException as there, and as in {@link #of(String...)}
     */
    public static InMemoryCell of(Duration leaseTime, Duration maxLeaseTime, String... nodeIds) {
        return start(InMemoryOptions.of(leaseTime, maxLeaseTime, AlgorithmOptions.PAXOSLEASE, nodeIds));
    }

    /**
     * The same for a cell that runs another algorithm, with the default lease times. All wall clocks are the cell's, so they are always
     * within a clock bound.
     *
     * @param algorithm the options of the module that has it
     * @throws InvalidOptionException when the algorithm does not go with the default lease times, and as in {@link #of(String...)}
     */
    public static InMemoryCell of(AlgorithmOptions algorithm, String... nodeIds) {
        return of(algorithm, PaxosLeaseOptions.DEFAULT_LEASE_TIME, PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME, nodeIds);
    }

    /**
     * The same with lease times of one's own.
     *
     * <p>Clients of a store, such as {@code InMemoryRegister}, wait longer than members that agree: a client is not told of a release, so it
     * reads again within half of the access bound; and without compare-and-set two access bounds and more pass between a write and a
     * grant. So advance the cell after asking. {@link #disconnect} cuts a client off from the store.
     *
     * @throws InvalidOptionException when the lease times do not go with the algorithm, and as in {@link #of(String...)}
     */
    public static InMemoryCell of(
            AlgorithmOptions algorithm, Duration leaseTime, Duration maxLeaseTime, String... nodeIds) {
        return start(InMemoryOptions.of(leaseTime, maxLeaseTime, algorithm, nodeIds));
    }

    private static InMemoryCell start(Map<String, PaxosLeaseOptions> options) {
        InMemoryCell cell = new InMemoryCell(options);
        cell.time.start();
        cell.nodes.values().forEach(PaxosLease::start);
        cell.advance(Duration.ofNanos(1_000)); // acceptors refuse ballots of the instant they started in
        return cell;
    }

    /**
     * Adds a client to the cell, starts it, and answers it: a node that leases, locks and takes part in elections like any other, but does
     * not vote ({@link NodeMode#CLIENT}). Its id is its application too. A cell of one that has had a client is quarantined after a restart.
     *
     * @throws InvalidOptionException when the id is no valid node id, or a member's
     * @throws IllegalArgumentException when the cell has a client of that id
     * @throws IllegalStateException when its nodes run another algorithm than PaxosLease: such cells have no clients
     */
    public PaxosLease addClient(String id) {
        PaxosLease first = nodes.values().iterator().next();
        PaxosLease client = LocalNode.create(
                        InMemoryOptions.ofClient(id, first.monitor().options()), this::wire)
                .handle();
        time.checkOpen();
        synchronized (nodes) {
            if (nodes.putIfAbsent(id, client) != null) {
                throw new IllegalArgumentException(
                        "This cell has a node '%s': give the client another id".formatted(Printable.name(id)));
            }
            network.add(client.monitor().options());
        }
        client.start();
        return client;
    }

    private NodeEnvironment wire(PaxosLeaseOptions options) {
        time.checkOpen();
        return new InMemoryEnvironment(time, network, network.node(options.nodeId()), options);
    }

    /** The node of that name, the same object over all its restarts. */
    public PaxosLease node(String id) {
        PaxosLease node = nodes.get(id);
        if (node == null) {
            throw new IllegalArgumentException(
                    "This cell has no node '%s', but %s".formatted(Printable.name(id), Printable.line(nodes.keySet())));
        }
        return node;
    }

    /**
     * Moves the clock. Everything that falls due on the way happens at its time; at equal times, in the order of scheduling. Renewals
     * are made in time, so leases stay held however far the clock is moved. Returns when nothing is left to do at the new time.
     * Several threads that call this move the clock one after the other.
     *
     * @param time how far; zero only waits until nothing is left to do
     * @throws IllegalArgumentException when the time is negative, or above a year
     * @throws IllegalStateException when this is the cell's own thread
     */
    public void advance(Duration time) {
        if (time.isNegative() || time.compareTo(LONGEST_MOVE) > 0) {
            throw new IllegalArgumentException(
                    "The clock of a cell is moved by 0 to 365 days at a time, not by " + time);
        }
        this.time.advance(time.toNanos());
    }

    /**
     * Cuts the node off: from now on all messages from it and to it are lost. It and its peers notice at once, as when their
     * connections break ({@link NodeStatus#peers()}). Lasts until {@link #reconnect}, over restarts too.
     */
    public void disconnect(String id) {
        change(id, node -> network.cutOff(node, true));
    }

    /** Ends {@link #disconnect}. The node and its peers notice at once. */
    public void reconnect(String id) {
        change(id, node -> network.cutOff(node, false));
    }

    /**
     * Ends the node's process without a release: the other nodes wait until its leases have expired; they notice its absence at once.
     * The test's own references end as by {@link PaxosLease#stop}: when this returns, the node's leases are not held any more, their
     * listeners have been told {@link LossReason#STOPPED}, and requests have failed. Does nothing when the node is not running.
     */
    public void crash(String id) {
        PaxosLease node = node(id);
        change(id, network::kill);
        node.stop();
    }

    /**
     * Starts a node that was crashed or stopped, as {@link PaxosLease#start} does: its acceptor is silent until everything that
     * its earlier life may have granted has expired, in the time of the cell. Does nothing when it is running.
     */
    public void restart(String id) {
        node(id).start();
    }

    /**
     * From now on the node's thread stands still while time goes on, as in a long pause of its process. Messages to it wait;
     * after four seconds the others take its connections for dead. {@link Lease#isHeld()} turns false at the deadline, as
     * always, but listeners are told after {@link #resume}. A call that asks the node ({@link NodeMonitor#status()},
     * {@link PaxosLease#stop()}) waits for it for five seconds of real time. Does nothing when it is suspended.
     *
     * @throws IllegalStateException when the node is not running
     */
    public void suspend(String id) {
        if (!node(id).monitor().isRunning()) {
            throw new IllegalStateException("Node '%s' is not running: restart it first".formatted(Printable.name(id)));
        }
        change(id, network::suspend);
    }

    /** Ends {@link #suspend}: the node does first what has become due meanwhile. Does nothing when it is not suspended. */
    public void resume(String id) {
        change(id, network::resume);
    }

    /**
     * From now on the node's requests for those resources are lost on the way to the other nodes: it can neither acquire their
     * leases nor renew them, while its other leases live on. A lease that it holds ends at its deadline: to take it away,
     * advance the cell by the lease time. Replaces what was denied before, and what is denied no more is tried again as after
     * {@link #allowRequests}. Lasts until then, over restarts too.
     *
     * @param resources tells which; called on the cell's thread, so it must return at once
     * @throws IllegalStateException when the cell has one node only, which has no peer to ask
     */
    public void denyRequests(String id, Predicate<String> resources) {
        requireOthers(id, resources);
        change(id, node -> network.deny(node, resources));
    }

    /**
     * The same for acquiring alone: from now on the node cannot acquire those leases, while one that it holds is still renewed.
     *
     * @param resources tells which; called on the cell's thread, so it must return at once
     * @throws IllegalStateException when the cell has one node only, which has no peer to ask, or its nodes are clients of a store
     */
    public void denyAcquiring(String id, Predicate<String> resources) {
        requireOthers(id, resources);
        if (!hasMembers()) {
            throw new IllegalStateException(
                    "A client of a store asks it the same for a renewal: deny its requests, or disconnect it");
        }
        change(id, node -> network.denyAcquiring(node, resources));
    }

    private boolean hasMembers() {
        return nodes.values().iterator().next().monitor().options().algorithm().hasMembers();
    }

    private void requireOthers(String id, Predicate<String> resources) {
        Objects.requireNonNull(resources, "resources");
        node(id);
        if (nodes.size() == 1 && hasMembers()) {
            throw new IllegalStateException("Node '%s' has no peer to ask: add nodes to the cell, for instance two"
                    .formatted(Printable.name(id)));
        }
    }

    /**
     * Ends {@link #denyRequests} and {@link #denyAcquiring}. The node retries its waiting requests within a millisecond of the cell's time:
     * advance the cell by two, and it holds what is free. Does nothing when nothing is denied.
     */
    public void allowRequests(String id) {
        change(id, network::allow);
    }

    private void change(String id, Consumer<InMemoryNode> how) {
        node(id);
        time.checkOpen();
        time.call(() -> how.accept(network.node(id)));
    }

    /**
     * Stops every node, one that is suspended as by {@link #crash}, and ends the threads of the cell, save callbacks that do not
     * return. Does nothing when closed.
     */
    @Override
    public void close() {
        List<String> ids = List.copyOf(nodes.keySet());
        time.call(() -> ids.stream().map(network::node).forEach(network::killSuspended));
        ids.forEach(id -> node(id).stop());
        time.close();
    }
}
