package io.paxoslease.spring.lock;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.integration.support.locks.LockRegistry;

/** {@link Locked} methods; and the node's locks as Spring Integration's {@link LockRegistry}, unless there is another one. */
@AutoConfiguration(afterName = "io.paxoslease.spring.autoconfigure.LeaseLocksAutoConfiguration")
@ConditionalOnBean({PaxosLease.class, LeaseLocks.class})
public final class PaxosLeaseLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT) // a parent's does not see this context's beans
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedPostProcessor lockedPostProcessor(ObjectProvider<LeaseLocks> locks) {
        return new LockedPostProcessor(locks);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockRegistry.class)
    static class Registry {

        @Bean
        @ConditionalOnMissingBean(LockRegistry.class)
        PaxosLeaseLockRegistry paxosLeaseLockRegistry(PaxosLease node, LeaseLocks locks) {
            return new PaxosLeaseLockRegistry(node, locks);
        }
    }
}
