package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The node's locks, and their waits at the start and the stop of the application. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnBean(PaxosLease.class)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
final class LeaseLocksAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeaseLocks leaseLocks(PaxosLease node, PaxosLeaseProperties properties) {
        return new LeaseLocks(
                node, properties.locks().toOptions(node.monitor().options().maxLeaseTime()));
    }

    @Bean
    @ConditionalOnBean(value = LeaseLocks.class, search = SearchStrategy.CURRENT) // a parent's locks stay as they are
    LockWaits lockWaitsStart(LeaseLocks locks) {
        return LockWaits.start(locks);
    }

    @Bean
    @ConditionalOnBean(value = LeaseLocks.class, search = SearchStrategy.CURRENT)
    LockWaits lockWaitsEnd(LeaseLocks locks) {
        return LockWaits.end(locks);
    }
}
