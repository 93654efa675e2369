package io.paxoslease.protocol;

import java.util.List;

/**
 * A snapshot of a node, for people and monitoring.
 *
 * @param incarnation its proposer's
 * @param quarantineRemainingNanos how long its acceptor stays silent yet; zero when it serves
 * @param leases what it holds or waits for, then what its acceptor knows
 */
public record NodeView(Incarnation incarnation, long quarantineRemainingNanos, List<LeaseView> leases) {

    public NodeView {
        leases = List.copyOf(leases);
    }
}
