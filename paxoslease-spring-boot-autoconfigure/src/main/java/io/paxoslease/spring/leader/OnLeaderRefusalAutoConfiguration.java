package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import java.util.Set;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Refuses {@link OnLeader} methods that are not guarded, for any reason. */
@AutoConfiguration
final class OnLeaderRefusalAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OnLeaderRefusal onLeaderRefusal() {
        return new OnLeaderRefusal();
    }

    /** Refuses beans with {@link OnLeader} that are not guarded: leader election is off, or they do not pass the post-processor. */
    static final class OnLeaderRefusal extends UnguardedBeans {

        private static final Problem OFF = new Problem(
                "leader election is off.",
                "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLeaderAutoConfiguration; or remove the bean."
                        + " For development and tests, paxoslease.standalone=true makes this instance the leader of every"
                        + " role.");

        OnLeaderRefusal() {
            super(
                    OnLeaderRules.ON_LEADER,
                    OnLeaderPostProcessor.class,
                    Set.of(OnLeaderInterceptor.class, ManagedBean.class),
                    "on every node",
                    OFF);
        }

        @Override
        protected boolean isAnnotated(Class<?> type) {
            return !OnLeaderMethods.of(type).isEmpty();
        }

        @Override
        protected boolean isAnnotated(Object bean, String beanName, ConfigurableListableBeanFactory beanFactory) {
            return super.isAnnotated(bean, beanName, beanFactory)
                    || LifecycleHandover.annotationOf(bean, beanName, typeOf(bean), beanFactory) != null;
        }
    }
}
