package io.paxoslease.spring.lock;

import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import java.util.Set;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Refuses {@link Locked} methods that would run without their locks. */
@AutoConfiguration
final class LockedRefusalAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedRefusal lockedRefusal() {
        return new LockedRefusal();
    }

    /** Refuses beans with {@link Locked} methods without their locks: there is no node, or they do not pass the post-processor. */
    static final class LockedRefusal extends UnguardedBeans {

        private static final Problem NO_NODE = new Problem(
                "this application has no PaxosLease node.",
                "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLockAutoConfiguration; or remove the bean. For"
                        + " development and tests, paxoslease.standalone=true makes a cell of this instance alone.");

        LockedRefusal() {
            super(
                    LockedMethods.LOCKED,
                    LockedPostProcessor.class,
                    Set.of(LockedInterceptor.class),
                    "without their locks",
                    NO_NODE);
        }

        @Override
        protected boolean isAnnotated(Class<?> type) {
            return !LockedMethods.of(type).isEmpty();
        }
    }
}
