package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Adds {@code leaderElection} to the info endpoint: this node, and the leaders of the roles that it contests. */
final class LeaderElectionInfoContributor implements InfoContributor {

    private final PaxosLease node;

    /** @param node the node to describe */
    LeaderElectionInfoContributor(PaxosLease node) {
        this.node = node;
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> roles = new TreeMap<>();
        LeaderElection.on(node).forEach(election -> roles.put(election.role(), describe(election)));
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("node", node.monitor().options().nodeId());
        details.put("cell", node.monitor().options().cell());
        details.put("roles", roles);
        builder.withDetail("leaderElection", details);
    }

    private static Map<String, Object> describe(LeaderElection election) {
        Map<String, Object> role = new LinkedHashMap<>();
        Optional<Leadership> leadership = election.leadership();
        role.put("leading", leadership.isPresent());
        leaderOf(election).ifPresent(leader -> role.put("leader", leader));
        leadership.ifPresent(mine -> role.put("fencingToken", mine.fencingToken()));
        return role;
    }

    private static Optional<String> leaderOf(LeaderElection election) {
        try {
            return election.leaderId();
        } catch (PaxosLeaseException nodeDoesNotAnswer) {
            return Optional.empty();
        }
    }
}
