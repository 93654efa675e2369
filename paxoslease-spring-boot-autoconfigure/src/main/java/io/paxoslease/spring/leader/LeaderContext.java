package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Optional;
import org.springframework.integration.leader.Context;

/**
 * The context that {@link PaxosLeaseLeaderInitiator} hands to its candidate and puts into its events: one leadership,
 * from its grant to its end. Another leadership, also of the same node, has another context. Thread-safe; no method but
 * {@link #leaderId()} blocks.
 */
public interface LeaderContext extends Context {

    /** Whether this leadership lasts at this instant: its deadline is compared with the clock at each call. */
    @Override
    boolean isLeader();

    /**
     * Gives this leadership up, so that another node may lead: revoked first, then released. Returns at once; does
     * nothing when it has ended.
     */
    @Override
    void yield();

    @Override
    String getRole();

    /**
     * The id of the node that leads the role, as far as is known: certain while this context leads, else a hint. Waits for
     * the node's thread to answer.
     */
    Optional<String> leaderId();

    /**
     * The fencing token of this leadership: a later leadership has a larger one. It stays when leadership has ended.
     *
     * @throws IllegalStateException when this context was obtained while this node did not lead
     */
    long fencingToken();

    /** The time left without a further renewal; zero when this leadership has ended. */
    Duration remaining();
}
