package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.spring.lock.Locked;
import io.paxoslease.spring.lock.LockedPostProcessor;
import io.paxoslease.spring.lock.LockedRefusal;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The node's locks, and {@link Locked} methods, which are refused where there is no node. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
public final class PaxosLeaseLockedAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedRefusal lockedRefusal() {
        return new LockedRefusal();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(PaxosLease.class)
    @EnableConfigurationProperties(PaxosLeaseProperties.class)
    static class Locks {

        @Bean
        @ConditionalOnMissingBean
        LeaseLocks leaseLocks(PaxosLease node, PaxosLeaseProperties properties) {
            return new LeaseLocks(
                    node, properties.locks().toOptions(node.options().maxLeaseTime()));
        }

        @Bean
        @ConditionalOnBean(
                value = LeaseLocks.class,
                search = SearchStrategy.CURRENT) // a parent's locks stay as they are
        LockWaits lockWaitsStart(LeaseLocks locks) {
            return LockWaits.start(locks);
        }

        @Bean
        @ConditionalOnBean(value = LeaseLocks.class, search = SearchStrategy.CURRENT)
        LockWaits lockWaitsEnd(LeaseLocks locks) {
            return LockWaits.end(locks);
        }

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT) // a parent's does not see this context's beans
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static LockedPostProcessor lockedPostProcessor(ObjectProvider<LeaseLocks> locks) {
            return new LockedPostProcessor(locks);
        }
    }
}
