package io.paxoslease.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a node, for people and monitoring.
 *
 * @param incarnation its proposer's
 * @param quarantineRemainingNanos how long its acceptor stays silent yet; zero when it serves
 * @param clockInBounds whether its wall clock is known to be where the algorithm needs it; if not, the node takes no part for that
 *     reason
 * @param clocks what it knows of the other members' wall clocks, where the algorithm compares them
 * @param membership which generation of the cell's members it knows; null of an algorithm whose members do not change
 * @param otherConfiguration what was seen lately of nodes that run another configuration of the cell; null when none was
 */
public record NodeView(
        Incarnation incarnation,
        long quarantineRemainingNanos,
        boolean clockInBounds,
        List<PeerClock> clocks,
        @Nullable Membership membership,
        @Nullable OtherConfiguration otherConfiguration) {

    /**
     * Nodes of the cell that run another configuration.
     *
     * @param problem which, what differs, and what to do
     * @param silences whether this node is silent for that reason (section 9)
     */
    public record OtherConfiguration(String problem, boolean silences) {}

    /**
     * Who decides, as far as this node knows (section 9).
     *
     * @param configured the number of the generation that this node was started with, or has moved to since
     * @param generation the one that its proposer works with
     * @param sealed the number of the highest generation that is known to be sealed
     * @param missing who of the list before the change is not known to be at the generation; empty once it is sealed
     * @param sealedInNanos when it can be sealed at the earliest; negative: too many are missing, or it is sealed
     * @param sinceNanos how long this node has known what it knows
     * @param silences whether the acceptor is silent because its generation is over
     */
    public record Membership(
            int configured,
            Generation generation,
            int sealed,
            List<NodeId> missing,
            long sealedInNanos,
            long sinceNanos,
            boolean silences) {

        public Membership {
            missing = List.copyOf(missing);
        }

        /** Whether majorities of both lists decide. */
        public boolean isJoint() {
            return sealed < generation.number();
        }
    }

    /**
     * Another member's wall clock.
     *
     * @param offsetMicros by how much it is ahead of this node's
     * @param uncertaintyMicros by how much the offset may be off
     */
    public record PeerClock(NodeId node, long offsetMicros, long uncertaintyMicros) {}

    public NodeView {
        clocks = List.copyOf(clocks);
    }
}
