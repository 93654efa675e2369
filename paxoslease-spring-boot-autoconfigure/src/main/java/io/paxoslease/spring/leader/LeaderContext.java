package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Optional;
import org.springframework.integration.leader.Context;

/**
 * The context that {@link PaxosLeaseLeaderInitiator} hands to its candidate and puts into its events: one leadership,
 * from its grant to its end. Each leadership has its own context, also on the same node. Thread-safe; no method but
 * {@link #leaderId()} blocks.
 */
public interface LeaderContext extends Context {

    /** Whether this leadership lasts at this instant: its deadline is compared with the clock at each call. */
    @Override
    boolean isLeader();

    /**
     * Resigns this leadership, so that another node may lead: it is revoked first, then released. Returns at once; does
     * nothing if it has ended.
     */
    @Override
    void yield();

    @Override
    String getRole();

    /**
     * The id of the node that leads the role, if known: certain while this context leads, otherwise a hint. Waits for
     * the node's thread.
     */
    Optional<String> leaderId();

    /**
     * The fencing token of this leadership: a later leadership has a larger one. It does not change when leadership
     * ends.
     *
     * @throws IllegalStateException if this context was obtained while this node did not lead
     */
    long fencingToken();

    /** The time left without a further renewal; zero if this leadership has ended. */
    Duration remaining();
}
