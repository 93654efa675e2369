package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.PaxosLeaseHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the cell's majority to the application's health. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("leases")
@ConditionalOnBean(PaxosLease.class)
public final class PaxosLeaseHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "leasesHealthIndicator")
    PaxosLeaseHealthIndicator leasesHealthIndicator(PaxosLease node) {
        return new PaxosLeaseHealthIndicator(node);
    }
}
