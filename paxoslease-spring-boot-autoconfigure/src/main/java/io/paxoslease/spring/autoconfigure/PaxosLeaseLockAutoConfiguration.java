package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Offers the node's locks as Spring Integration's {@link LockRegistry}, unless there is another one. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean(PaxosLease.class)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
public final class PaxosLeaseLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    PaxosLeaseLockRegistry paxosLeaseLockRegistry(PaxosLease node, PaxosLeaseProperties properties) {
        Duration maxTtl = node.options().maxLeaseTime();
        return new PaxosLeaseLockRegistry(node, properties.locks().toOptions(maxTtl));
    }
}
