package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Offers the node's locks as Spring Integration's {@link LockRegistry}, unless there is another one. */
@AutoConfiguration(after = {PaxosLeaseAutoConfiguration.class, PaxosLeaseLockedAutoConfiguration.class})
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean({PaxosLease.class, LeaseLocks.class})
public final class PaxosLeaseLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    PaxosLeaseLockRegistry paxosLeaseLockRegistry(PaxosLease node, LeaseLocks locks) {
        return new PaxosLeaseLockRegistry(node, locks);
    }
}
