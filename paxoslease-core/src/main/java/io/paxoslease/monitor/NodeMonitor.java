package io.paxoslease.monitor;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node is and knows: status, counters, peers, clients, observers. Thread-safe. Methods that ask the node's thread wait for its answer,
 * at most five seconds; the others never block. Implemented by this library only.
 */
public interface NodeMonitor {

    /** Whether the node is started. */
    boolean isRunning();

    /** What the node was made with; once contact points have answered, with the members and times that they told. Never blocks. */
    PaxosLeaseOptions options();

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
    Optional<AwaitedVote> awaitedVote();

    /**
     * The names of the resources that this node holds, waits for, has a record of as an acceptor, or has lost lately, in
     * alphabetical order. Asks the node's thread in small steps, which delay no renewal however many names there are; names that
     * come or go meanwhile may be in it or not.
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

    /** From now on, tells the observer what this node does. */
    void addObserver(NodeObserver observer);

    /** Ends {@link #addObserver}. */
    void removeObserver(NodeObserver observer);
}
