package io.paxoslease;

import java.time.Duration;
import java.util.List;

/**
 * A snapshot of one node.
 *
 * @param nodeId this node
 * @param cell the cell's name
 * @param incarnation this process's identity as a proposer, in hexadecimal
 * @param state what its acceptor does
 * @param quarantineRemaining how long the acceptor stays silent yet; zero when serving
 * @param leaseTime the default lease time
 * @param maxLeaseTime the cell's longest lease
 * @param peers the other members
 * @param leases resources that this node holds or waits for, then those its acceptor knows
 */
public record NodeStatus(
        String nodeId,
        String cell,
        String incarnation,
        State state,
        Duration quarantineRemaining,
        Duration leaseTime,
        Duration maxLeaseTime,
        List<PeerStatus> peers,
        List<LeaseStatus> leases) {

    /** What the node's acceptor does. */
    public enum State {
        /** It answers. */
        SERVING,
        /** It is silent until all it may have forgotten has expired. */
        QUARANTINED,
        /** The node is not started, or was stopped. */
        STOPPED,
        /** It found a fault in itself and takes no further part. */
        FAILED
    }
}
