package io.paxoslease.spring.lock;

import io.paxoslease.spring.proxy.ProxiedMethods;
import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import org.aopalliance.aop.Advice;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Refuses beans with {@link Locked} methods that would run without their locks: there is no node, or the bean does not pass the
 * post-processor. Registered by the auto-configuration.
 */
public final class LockedRefusal extends UnguardedBeans {

    private static final Problem NO_NODE = new Problem(
            "this application has no PaxosLease node.",
            "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLockedAutoConfiguration; or remove the bean. For"
                    + " development and tests, paxoslease.standalone=true makes a cell of this instance alone.");

    public LockedRefusal() {
        super(LockedPostProcessor.class);
    }

    @Override
    protected boolean isAnnotated(Object bean, String beanName, ConfigurableListableBeanFactory beanFactory) {
        return isAnnotated(typeOf(bean));
    }

    @Override
    protected boolean isGuard(Advice advice) {
        return advice instanceof LockedInterceptor;
    }

    @Override
    protected Problem missing() {
        return NO_NODE;
    }

    @Override
    protected LockedUsageException refusal(Object bean, String beanName, Problem problem) {
        return new LockedUsageException(
                "The @Locked methods of the bean '%s' of %s would run without their locks: %s"
                        .formatted(beanName, typeOf(bean).getName(), problem.problem()),
                problem.action());
    }

    private static Class<?> typeOf(Object bean) {
        return ProxiedMethods.typeOf(bean, LockedRefusal::isAnnotated);
    }

    private static boolean isAnnotated(Class<?> type) {
        return !LockedMethods.of(type).isEmpty();
    }
}
