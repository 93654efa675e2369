package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.shards.ShardGroups;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Measures the node, in every meter registry of the application. */
@AutoConfiguration(
        afterName = {
            "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration",
            "io.paxoslease.spring.shards.PaxosLeaseShardsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MetricsAutoConfiguration.class})
@ConditionalOnBean(PaxosLease.class)
final class PaxosLeaseMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    PaxosLeaseMetrics paxosLeaseMetrics(PaxosLease node, ObjectProvider<LeaderElections> elections) {
        return new PaxosLeaseMetrics(node, elections::getIfAvailable);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(ShardGroups.class)
    ShardMeters paxosLeaseShardMeters(PaxosLease node, ShardGroups groups) {
        return new ShardMeters(node.monitor(), groups);
    }
}
