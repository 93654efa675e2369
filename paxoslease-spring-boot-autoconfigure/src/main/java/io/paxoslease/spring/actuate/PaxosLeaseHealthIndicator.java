package io.paxoslease.spring.actuate;

import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PeerStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether enough members of the cell answer for leases to be granted and renewed: {@code UP}, or {@code OUT_OF_SERVICE} with
 * the missing peers. Never {@code DOWN}: restarting this process would not help. The same on a leader and on a follower.
 */
public final class PaxosLeaseHealthIndicator implements HealthIndicator {

    private final PaxosLease node;

    /** @param node is asked */
    public PaxosLeaseHealthIndicator(PaxosLease node) {
        this.node = node;
    }

    @Override
    public Health health() {
        NodeStatus status;
        try {
            status = node.status();
        } catch (PaxosLeaseException e) {
            return Health.outOfService()
                    .withDetail("node", node.options().nodeId())
                    .withDetail("problem", String.valueOf(e.getMessage()))
                    .build();
        }
        Health.Builder health = status.hasMajority() ? Health.up() : Health.outOfService();
        health.withDetail("node", status.nodeId())
                .withDetail("cell", status.cell())
                .withDetail("state", status.state())
                .withDetail("reachable", status.reachable())
                .withDetail("majority", status.majority());
        Map<String, String> missing = missing(status);
        if (!missing.isEmpty()) {
            health.withDetail("missing", missing);
        }
        return health.build();
    }

    /** The problem with each, or its address as long as there is none known. */
    private static Map<String, String> missing(NodeStatus status) {
        Map<String, String> missing = new LinkedHashMap<>();
        for (PeerStatus peer : status.peers()) {
            if (!peer.connected()) {
                String problem = peer.problem();
                missing.put(peer.nodeId(), problem == null ? "not connected yet: " + peer.address() : problem);
            }
        }
        return missing;
    }
}
