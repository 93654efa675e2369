package io.paxoslease;

import io.paxoslease.node.LocalNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * One node of a cell, a member or a client ({@link NodeMode}): the members agree among themselves who holds which lease, in memory, without a server. Every method
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
public interface PaxosLease extends AutoCloseable {

    /** The longest resource name, in bytes of UTF-8. */
    int MAX_RESOURCE_BYTES = 255;

    /**
     * A node that is not started yet.
     *
     * @throws InvalidOptionException when the options do not go together
     */
    static PaxosLease create(PaxosLeaseOptions options) {
        return LocalNode.create(options);
    }

    /**
     * Listens on this node's port, if it is a member, and begins to take part. Its acceptor is silent until everything that an earlier life of
     * this node may have granted has expired; requests wait as long. A client that has contact points asks them first who the members are,
     * and again until one has answered; it does not wait for that here, but requests do. Does nothing when started. A node that was
     * stopped may be started again.
     *
     * @throws NodeStartException when the port is in use, or this node's own host does not resolve
     */
    void start();

    /**
     * Ends every lease of this node, tells the cell that they are free, and closes its connections. Listeners of leases
     * that were held are told {@link LossReason#STOPPED}. Does nothing when stopped.
     */
    void stop();

    /** The same as {@link #stop()}. */
    @Override
    void close();

    /** Whether the node is started. */
    boolean isRunning();

    /** What the node was made with. */
    PaxosLeaseOptions options();

    /**
     * Asks the cell for a lease. Requests of one node for the same resource are served in order, one at a time.
     *
     * @param resource its name, at most {@value #MAX_RESOURCE_BYTES} bytes of UTF-8
     * @return completes on the callback executor: with the lease; with {@link LeaseTimeoutException} when the time to wait
     *     was over; with {@link PaxosLeaseException} when the node is stopped, or when the lease was granted and no thread could
     *     be had to hand it over, in which case it has been released. Cancelling it withdraws the request.
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    CompletableFuture<Lease> acquire(String resource, AcquireOptions how);

    /**
     * The same for a caller that waits.
     *
     * @return the lease, or nothing when the time to wait was over
     * @throws InterruptedException when the caller was interrupted; the request is withdrawn
     * @throws PaxosLeaseException when the node is stopped
     * @throws IllegalArgumentException when the name is too long, or the lease time out of bounds
     */
    Optional<Lease> tryAcquire(String resource, AcquireOptions how) throws InterruptedException;

    /**
     * Raises a max register of the cell, which is a number that only grows, to at least {@code value}: for "which run has the leader finished?".
     * The members keep registers in memory. That is advice, and no lease rests on it: each of them forgets its own when it restarts, and is told once
     * what the members and clients that it then connects with still know. A member keeps at most 4,096 registers that members have raised, 256 of each
     * client, and 2,048 of all clients; beyond that the one raised longest ago goes. Members and clients may raise and {@link #read} registers, also those of others, whether they hold a lease or not.
     *
     * @param register its name, at most {@value #MAX_RESOURCE_BYTES} bytes of UTF-8; names of registers and of resources are apart
     * @param value at least zero; below what the register has it changes nothing
     * @return completes on the callback executor, or is complete at once: when a majority of the members has at least that value; with
     *     {@link PaxosLeaseException} when the node is stopped, 1,024 requests wait already, or no majority has answered within the lease time, of which less than a second counts as one and more than five seconds as
     *     five. Some of the members may still have the value then. With {@link UnsupportedOperationException} where the
     *     algorithm has no members. While members change, majorities before and after the change are needed, as for leases
     * @throws IllegalArgumentException when the name is empty or too long, or the value negative
     */
    CompletableFuture<Void> raise(String register, long value);

    /**
     * The highest value of a {@link #raise max register} that is known to those of a majority of the members that answer first. What a completed
     * {@link #raise} has stored is among it, also after a change of the members, unless members have restarted since and were not told again, or each
     * member that had the value left by a change while it did not reach the new members, or had no time to tell them: until the seal, which takes
     * 1.22 times the longest lease, it tells them 100 registers in each 10 ms and round trip, those raised last first. A value of a raise that failed
     * may be among it. Any member or client of the cell may have raised it, to any number: so do not believe a value that cannot be. It is read only:
     * members that do not have the value are not told.
     *
     * @param register its name, at most {@value #MAX_RESOURCE_BYTES} bytes of UTF-8
     * @return completes as that of {@link #raise}: with the value, or empty when none of them knows one
     * @throws IllegalArgumentException when the name is empty or too long
     */
    CompletableFuture<OptionalLong> read(String register);

    /**
     * What this node is. Asks the node's thread and waits for its answer.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    NodeStatus status();

    /**
     * The vote that the other members will soon have, and without which they have no majority if this node stops now. Code that stops this node can wait
     * until there is none, which the Spring Boot starter does. Asks the node's thread and waits for its answer.
     *
     * @return empty if this node may stop, or there is nothing to wait for: it is a client, or the others cannot get a majority
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    default Optional<AwaitedVote> awaitedVote() {
        return Optional.empty();
    }

    /**
     * The names of the resources that this node holds, waits for, has a record of as an acceptor, or has lost lately, in
     * alphabetical order. Asks the node's thread in small steps, so that however many there are, no lease is renewed later for
     * it; what comes or goes meanwhile may be in it or not.
     *
     * @return empty when the node is not running
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    List<String> resources();

    /**
     * What this node knows of each of these resources, without those that it knows nothing of. Asks the node's thread in small
     * steps.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    List<LeaseStatus> status(List<String> resources);

    /**
     * What this node knows of one resource; empty when nothing.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    Optional<LeaseStatus> status(String resource);

    /** What this node knows of the other members. Never blocks. */
    List<PeerStatus> peers();

    /** The clients of this node: empty unless it is a member that admits clients, and runs. Never blocks. */
    Optional<ClientCounts> clients();

    /** How many leases this node holds. */
    int heldLeases();

    /** How often the clocks of this process disagreed since this node was made. */
    long clockDisagreements();

    /**
     * How often a request of this node backed off since no majority of the members' wall clocks are near enough to each other for one
     * ballot counter to do for them (section 7). Set the clocks right (NTP). Always zero with another algorithm.
     */
    long clocksApart();

    /** Messages to other nodes since this node was made, lost ones included, by type: {@code prepare} and so on. */
    Map<String, Long> messagesSent();

    /** Messages from other nodes since this node was made, by type: {@code prepare} and so on. */
    Map<String, Long> messagesReceived();

    /**
     * How many connections came to nothing, by reason, since this object was made: it counts on over stops and starts.
     * Every reason has an entry.
     */
    Map<ConnectionRefusal, Long> refusedConnections();

    /**
     * Uses other keys and certificates from now on, also over a stop and start. No connection is dropped: those that are
     * open are made anew, one after the other, within seconds. One that cannot be made anew ends after a minute.
     *
     * @throws InvalidOptionException when the certificate does not name this node and node ids are verified; what was used
     *     before stays in use
     * @throws IllegalStateException when the node was made without TLS
     */
    void reloadTls(TlsOptions tls);

    /**
     * Changes the members of the cell, its longest lease or its clock drift while it serves: stores the next generation, which this node and
     * every other one then moves to by itself. Leases are kept, and requests are answered meanwhile. It returns once the change is stored;
     * {@link #status} says how far it has come, and it is finished when the generation is sealed, which takes the longest lease multiplied by
     * gamma. A change whose new members never answer does not begin: the members before go on by themselves. Blocks while the store does.
     *
     * @return what is stored now
     * @throws InvalidOptionException when the new members or times cannot work
     * @throws MembershipChangeException when the change is refused, as it has no store, comes from a client, or another change is under way; or
     *     when the store fails
     * @throws PaxosLeaseException when the node is stopped, or its thread does not answer
     */
    Membership changeMembers(MembershipChange change);

    /** From now on, tells the observer what this node does. */
    void addObserver(NodeObserver observer);

    /** Ends {@link #addObserver}. */
    void removeObserver(NodeObserver observer);

    /**
     * Gives up what this node holds of a resource, so that another node may have it. A role is resigned from: revoked first, then
     * released, after which this node stands back for the cool-down. Any other lease is taken away from whoever holds it here:
     * {@link Lease#isHeld()} is false, and listeners are told {@link LossReason#REVOKED}, before the cell hears that it is free;
     * but a thread that works under it may not have noticed yet. Returns at once.
     */
    GivenUp giveUp(String resource);

    /** What {@link #giveUp} did. */
    enum GivenUp {
        /** The role was resigned from. */
        YIELDED,
        /** The lease was taken away and released. */
        RELEASED,
        /** This node does not hold it. */
        NOT_HELD
    }
}
