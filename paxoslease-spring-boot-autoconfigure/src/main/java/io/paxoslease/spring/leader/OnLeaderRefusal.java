package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.ProxiedMethods;
import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import org.aopalliance.aop.Advice;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Refuses beans with {@link OnLeader} that are not guarded, because they would run on every node: leader election is
 * off, or the bean does not pass the post-processor. Registered by the auto-configuration.
 */
public final class OnLeaderRefusal extends UnguardedBeans {

    private static final Problem OFF = new Problem(
            "leader election is off.",
            "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLeaderAutoConfiguration; or remove the bean."
                    + " For development and tests, paxoslease.standalone=true makes this instance the leader of every"
                    + " role.");

    private final LifecycleHandover lifecycles = new LifecycleHandover();

    public OnLeaderRefusal() {
        super(OnLeaderPostProcessor.class);
    }

    @Override
    protected boolean isAnnotated(Object bean, String beanName, ConfigurableListableBeanFactory beanFactory) {
        Class<?> type = typeOf(bean);
        return !OnLeaderMethods.of(type).isEmpty()
                || lifecycles.annotationOf(bean, beanName, type, beanFactory) != null;
    }

    @Override
    protected boolean isGuard(Advice advice) {
        return advice instanceof OnLeaderInterceptor || advice instanceof ManagedBean;
    }

    @Override
    protected Problem missing() {
        return OFF;
    }

    @Override
    protected OnLeaderUsageException refusal(Object bean, String beanName, Problem problem) {
        return new OnLeaderUsageException(
                "The @OnLeader methods of the bean '%s' of %s would run on every node: %s"
                        .formatted(beanName, typeOf(bean).getName(), problem.problem()),
                problem.action());
    }

    private static Class<?> typeOf(Object bean) {
        return ProxiedMethods.typeOf(bean, type -> !OnLeaderMethods.of(type).isEmpty());
    }
}
