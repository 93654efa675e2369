package io.paxoslease.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.PaxosLeaseMetrics;
import io.paxoslease.spring.leader.LeaderElections;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Measures the node, in every meter registry of the application. */
@AutoConfiguration(
        after = PaxosLeaseAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({MeterRegistry.class, MetricsAutoConfiguration.class})
@ConditionalOnBean(PaxosLease.class)
public final class PaxosLeaseMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    PaxosLeaseMetrics paxosLeaseMetrics(PaxosLease node, ObjectProvider<LeaderElections> elections) {
        return new PaxosLeaseMetrics(node, elections::getIfAvailable);
    }
}
