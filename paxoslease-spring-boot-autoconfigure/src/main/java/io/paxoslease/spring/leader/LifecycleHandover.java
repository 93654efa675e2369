package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.util.ReflectionUtils;

/** Hands lifecycle beans over from the container's start to their roles. */
final class LifecycleHandover {

    private static final String AUTO_STARTUP = "autoStartup";

    private LifecycleHandover() {}

    /**
     * The annotation on the bean's class or on its factory method, if the bean has a lifecycle.
     *
     * @throws AnnotationUsageException if the factory method of a bean without a lifecycle is annotated
     */
    static @Nullable OnLeader annotationOf(
            Object bean, String beanName, Class<?> type, @Nullable ConfigurableListableBeanFactory beanFactory) {
        OnLeader found = find(type, beanName, beanFactory);
        boolean onFactoryMethod = found != null && OnLeaderMethods.ofClass(type) == null;
        if (bean instanceof Lifecycle) {
            if (found != null && beanFactory != null) {
                checkContext(beanName, type, beanFactory);
            }
            return found;
        }
        if (onFactoryMethod) {
            throw new AnnotationUsageException(
                    "The bean '%s' of %s has @OnLeader on its @Bean method, but is not a Lifecycle."
                            .formatted(beanName, type.getName()),
                    "Put @OnLeader on the bean's class, or on those of its methods that do the leader's work.");
        }
        return null;
    }

    /** @throws AnnotationUsageException if a bean that is handed over is no singleton of the context that has the elections */
    static void checkContext(String beanName, Class<?> type, ConfigurableListableBeanFactory beanFactory) {
        if (!isSingleton(beanName, beanFactory)) {
            throw new AnnotationUsageException(
                    "The bean '%s' of %s is to be started and stopped with leadership, but it is not a singleton."
                            .formatted(beanName, type.getName()),
                    "Make it a singleton, or start and stop it in @OnGranted and @OnRevoked methods.");
        }
        if (isOfChild(beanFactory)) {
            throw new AnnotationUsageException(
                    "The bean '%s' of %s is to be started and stopped with leadership, but it belongs to a child of the application context that has the elections."
                            .formatted(beanName, type.getName()),
                    "Move it to the parent context.");
        }
    }

    /** The annotation on the bean's class or on its factory method. */
    static @Nullable OnLeader find(
            Class<?> type, String beanName, @Nullable ConfigurableListableBeanFactory beanFactory) {
        OnLeader found = OnLeaderMethods.ofClass(type);
        if (found != null || beanFactory == null || !beanFactory.containsBeanDefinition(beanName)) {
            return found;
        }
        if (beanFactory.isFactoryBean(beanName)) {
            // The product has the same bean name. An annotation on its class is its own, one on the @Bean method is the
            // factory's.
            Class<?> product = beanFactory.getType(beanName, false);
            boolean isOfProduct = product != null && OnLeaderMethods.ofClass(product) != null;
            if (isOfProduct || !FactoryBean.class.isAssignableFrom(type)) {
                return null;
            }
        }
        return beanFactory.findAnnotationOnBean(beanName, OnLeader.class, false);
    }

    /** Whether a bean of that name and type is started and stopped with leadership, before there is the bean. */
    static boolean isHandedOver(Class<?> type, String beanName, @Nullable ConfigurableListableBeanFactory beanFactory) {
        return Lifecycle.class.isAssignableFrom(type) && find(type, beanName, beanFactory) != null;
    }

    /** The class of the proxy of such a bean: a native image can create none, so it is created ahead of time. */
    static Class<?> proxyType(Class<?> type, String beanName, @Nullable ConfigurableListableBeanFactory beanFactory) {
        if (!isHandedOver(type, beanName, beanFactory) || !isProxyable(type)) {
            return type;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setProxyTargetClass(true);
        factory.setTargetClass(type);
        return factory.getProxyClass(type.getClassLoader());
    }

    /**
     * Whether the elections belong to a parent context, which outlives this one and whose events do not reach this one.
     */
    static boolean isOfChild(ListableBeanFactory beanFactory) {
        return beanFactory.getBeanNamesForType(LeaderElections.class, true, false).length == 0
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LeaderElections.class, true, false)
                                .length
                        > 0;
    }

    private static boolean isSingleton(String beanName, ConfigurableListableBeanFactory beanFactory) {
        return !beanFactory.containsBeanDefinition(beanName)
                || beanFactory.getMergedBeanDefinition(beanName).isSingleton();
    }

    /** The bean behind a proxy, so that only its role starts it. */
    static Object handOver(Object bean, String beanName, LeaderRole role) {
        ManagedBean managed = new ManagedBean(beanName, (Lifecycle) bean);
        Class<?> type = AopUtils.getTargetClass(bean);
        Object result = bean;
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            advised.addAdvisor(0, new DefaultPointcutAdvisor(managed));
        } else if (isProxyable(type)) {
            ProxyFactory factory = new ProxyFactory();
            factory.setProxyTargetClass(true);
            factory.setTarget(bean);
            factory.addAdvisor(new DefaultPointcutAdvisor(managed));
            result = factory.getProxy(type.getClassLoader());
        } else {
            switchAutoStartupOff(bean, beanName, type);
        }
        role.beans().add(managed);
        return result;
    }

    /** A final method would run on the proxy itself, which has no state. */
    static boolean isProxyable(Class<?> type) {
        if (Modifier.isFinal(type.getModifiers()) || Modifier.isPrivate(type.getModifiers())) {
            return false;
        }
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(
                type, each -> each.getDeclaringClass() != Object.class && !each.isSynthetic())) {
            int modifiers = method.getModifiers();
            if (Modifier.isFinal(modifiers) && !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers)) {
                return false;
            }
        }
        return true;
    }

    /** Keeps the container from starting a bean that cannot be proxied. */
    static void switchAutoStartupOff(Object bean, String beanName, Class<?> type) {
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(bean);
        if (!properties.isWritableProperty(AUTO_STARTUP)) {
            throw new AnnotationUsageException(
                    "The bean '%s' is to be started and stopped with leadership, but %s is final or has final methods, so it cannot be proxied, and without a setAutoStartup method the container would start it."
                            .formatted(beanName, type.getName()),
                    "Remove 'final', add a property 'autoStartup', or start and stop it in @OnGranted and @OnRevoked methods.");
        }
        properties.setPropertyValue(AUTO_STARTUP, false);
    }
}
