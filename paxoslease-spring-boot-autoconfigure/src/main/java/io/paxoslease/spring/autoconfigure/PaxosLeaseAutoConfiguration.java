package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Makes this application a node of a cell: a {@link PaxosLease} bean that is started before and stopped after everything
 * that uses it. A {@code PaxosLease} bean of the application's own takes its place, and is started and stopped as well.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
public final class PaxosLeaseAutoConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    PaxosLease paxosLease(PaxosLeaseProperties properties) {
        return PaxosLease.create(properties.toOptions());
    }

    @Bean
    PaxosLeaseLifecycle paxosLeaseLifecycle(PaxosLease node) {
        return new PaxosLeaseLifecycle(node);
    }
}
