package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private static final Logger log = LoggerFactory.getLogger(PaxosLeaseAutoConfiguration.class);

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    PaxosLease paxosLease(PaxosLeaseProperties properties) {
        PaxosLeaseOptions options = properties.toOptions();
        if (options.peers().isEmpty()) {
            log.info(
                    "Node '{}' is a cell of one: it leads every role and shares its locks with nobody. To form a cell with"
                            + " other instances, set paxoslease.node-id and paxoslease.peers to this node's name and to"
                            + " every node's name and address",
                    options.nodeId());
        }
        return PaxosLease.create(options);
    }

    @Bean
    PaxosLeaseLifecycle paxosLeaseLifecycle(PaxosLease node) {
        return new PaxosLeaseLifecycle(node);
    }
}
