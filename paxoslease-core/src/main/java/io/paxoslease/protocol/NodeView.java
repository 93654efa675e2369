package io.paxoslease.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a node, for people and monitoring.
 *
 * @param incarnation its proposer's
 * @param quarantineRemainingNanos how long its acceptor stays silent yet; zero when it serves
 * @param leases what it holds or waits for, then what its acceptor knows
 * @param clockInBounds whether its wall clock is known to be where the algorithm needs it; if not, the node takes no part for that
 *     reason
 * @param clocks what it knows of the other members' wall clocks, where the algorithm compares them
 * @param otherConfiguration what was seen lately of nodes that run another configuration of the cell; null when none was
 */
public record NodeView(
        Incarnation incarnation,
        long quarantineRemainingNanos,
        List<LeaseView> leases,
        boolean clockInBounds,
        List<PeerClock> clocks,
        @Nullable OtherConfiguration otherConfiguration) {

    /**
     * Nodes of the cell that run another configuration.
     *
     * @param problem which, what differs, and what to do
     * @param silences whether this node is silent for that reason (section 9)
     */
    public record OtherConfiguration(String problem, boolean silences) {}

    /**
     * Another member's wall clock.
     *
     * @param offsetMicros by how much it is ahead of this node's
     * @param uncertaintyMicros by how much the offset may be off
     */
    public record PeerClock(NodeId node, long offsetMicros, long uncertaintyMicros) {}

    public NodeView {
        leases = List.copyOf(leases);
        clocks = List.copyOf(clocks);
    }
}
