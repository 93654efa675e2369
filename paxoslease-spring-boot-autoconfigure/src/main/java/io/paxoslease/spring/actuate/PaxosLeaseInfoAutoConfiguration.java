package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
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
}
