package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.EmbeddedValues;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Lets {@link Locked} methods run under their locks. Registered by the auto-configuration.
 *
 * <p>It creates the proxies itself, so that it works with any value of {@code spring.aop.auto}. The lock goes before existing advice, so a
 * transaction begins after the lock is held, and is completed before it is released. The check of {@code @OnLeader} goes before the lock, and
 * {@code @Async} before both.
 */
@SuppressWarnings("serial") // inherited from a class of settings; never serialized
final class LockedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private final Map<Class<?>, Map<Method, Locked>> lockedMethods = new ConcurrentHashMap<>();

    private final EmbeddedValues values = new EmbeddedValues(() -> this.beanFactory);

    LockedPostProcessor(ObjectProvider<LeaseLocks> locks) {
        this.advisor = new DefaultPointcutAdvisor(
                new LockedPointcut(), new LockedInterceptor(locks::getObject, () -> this.beanFactory, this::read));
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE - 3);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type =
                ProxiedMethods.typeOf(bean, each -> !lockedMethodsOf(each).isEmpty());
        if (beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)
                || bean instanceof AopInfrastructureBean // a scoped proxy, whose target is a bean of its own
                || lockedMethodsOf(type).isEmpty()) {
            return bean;
        }
        lockedMethodsOf(type).keySet().forEach(method -> read(method, type));
        Object result = super.postProcessAfterInitialization(bean, beanName);
        if (!isLocked(bean, result)) {
            throw new AnnotationUsageException(
                    "The bean '%s' has @Locked methods, but its proxy takes no further advice.".formatted(beanName),
                    "Do not freeze the proxy.");
        }
        return result;
    }

    /** Also called for types, also during ahead-of-time processing, when placeholders cannot be resolved yet. */
    @Override
    protected boolean isEligible(Class<?> targetClass) {
        // A proxy that has no annotated target is not given the advice, but proxied: for its interfaces, not for its
        // target.
        return !Proxy.isProxyClass(targetClass) && !lockedMethodsOf(targetClass).isEmpty();
    }

    @Override
    protected boolean isEligible(Object bean, String beanName) {
        return !lockedMethodsOf(bean.getClass()).isEmpty();
    }

    private boolean isLocked(Object bean, Object result) {
        return result != bean
                || (bean instanceof Advised advised
                        && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each == advisor));
    }

    private Map<Method, Locked> lockedMethodsOf(Class<?> targetClass) {
        Map<Method, Locked> known = lockedMethods.get(targetClass);
        if (known == null) {
            known = LockedMethods.of(targetClass);
            known.keySet().forEach(method -> LockedMethods.check(method, targetClass));
            lockedMethods.put(targetClass, known);
        }
        return known;
    }

    private LockedMethod read(Method method, Class<?> targetClass) {
        Locked annotation = LockedMethods.find(method, targetClass);
        if (annotation == null) {
            // The pointcut makes the same check, so it should not have matched this method.
            throw new IllegalStateException("No @Locked on " + method);
        }
        return LockedMethods.read(AopUtils.getMostSpecificMethod(method, targetClass), targetClass, annotation, values);
    }

    private static final class LockedPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LockedMethods.find(method, targetClass) != null;
        }

        /** A part of the key by which contexts share the classes of proxies. */
        @Override
        public String toString() {
            return "@Locked";
        }
    }
}
