package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import org.aopalliance.aop.Advice;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Refuses beans with {@link OnLeader} that are not guarded: leader election is off, or they do not pass the post-processor. */
final class OnLeaderRefusal extends UnguardedBeans {

    private static final Problem OFF = new Problem(
            "leader election is off.",
            "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLeaderAutoConfiguration; or remove the bean."
                    + " For development and tests, paxoslease.standalone=true makes this instance the leader of every"
                    + " role.");

    private final LifecycleHandover lifecycles = new LifecycleHandover();

    OnLeaderRefusal() {
        super(OnLeaderRules.ON_LEADER, OnLeaderPostProcessor.class, "on every node");
    }

    @Override
    protected boolean isAnnotated(Class<?> type) {
        return !OnLeaderMethods.of(type).isEmpty();
    }

    @Override
    protected boolean isAnnotated(Object bean, String beanName, ConfigurableListableBeanFactory beanFactory) {
        return super.isAnnotated(bean, beanName, beanFactory)
                || lifecycles.annotationOf(bean, beanName, typeOf(bean), beanFactory) != null;
    }

    @Override
    protected boolean isGuard(Advice advice) {
        return advice instanceof OnLeaderInterceptor || advice instanceof ManagedBean;
    }

    @Override
    protected Problem missing() {
        return OFF;
    }
}
