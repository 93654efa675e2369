package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the leaders to the info endpoint. */
@AutoConfiguration(afterName = "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration")
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnEnabledInfoContributor("leader-election")
@ConditionalOnBean(PaxosLease.class)
final class PaxosLeaseInfoAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeaderElectionInfoContributor leaderElectionInfoContributor(PaxosLease node) {
        return new LeaderElectionInfoContributor(node);
    }

    /** Adds {@code leaderElection} to the info endpoint: this node, and the leaders of the roles that it contests. */
    static final class LeaderElectionInfoContributor implements InfoContributor {

        private final PaxosLease node;

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
}
