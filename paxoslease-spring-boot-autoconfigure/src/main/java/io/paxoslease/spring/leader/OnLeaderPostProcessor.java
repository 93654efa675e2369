package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.EmbeddedValues;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Adds the check to {@link OnLeader} methods, hands lifecycle beans over to their role, and joins the roles. Registered
 * by the auto-configuration.
 *
 * <p>It creates the proxies itself instead of relying on an {@code Advisor} bean: with {@code spring.aop.auto=false}
 * such a bean is silently ignored, and the leader's work would run on every node. The check goes before existing
 * advice, so a follower opens no transaction. The order lets {@code @Async} wrap the check, which then runs in the
 * worker thread, lets {@code @Retryable} wrap it, so that no attempt escapes it, and lets {@code @Scheduled} and
 * message listeners call the proxy.
 */
@SuppressWarnings("serial") // inherited from a class of settings; never serialized
final class OnLeaderPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private final Map<Class<?>, Map<Method, OnLeader>> guardedMethods = new ConcurrentHashMap<>();

    private final LeaderCheck roles;
    private final Supplier<@Nullable ListenerHandover> listeners;
    private final Supplier<@Nullable MissedRuns> missed;
    private final EmbeddedValues values = new EmbeddedValues(() -> this.beanFactory);

    OnLeaderPostProcessor(
            ObjectProvider<LeaderElections> elections,
            ObjectProvider<ListenerHandover> listeners,
            ObjectProvider<MissedRuns> missed) {
        this(new LateElections(elections), listeners::getIfAvailable, missed::getIfAvailable);
    }

    OnLeaderPostProcessor(LeaderCheck roles) {
        this(roles, () -> null, () -> null);
    }

    OnLeaderPostProcessor(
            LeaderCheck roles, Supplier<@Nullable ListenerHandover> listeners, Supplier<@Nullable MissedRuns> missed) {
        this.roles = roles;
        this.listeners = listeners;
        this.missed = missed;
        this.advisor =
                new DefaultPointcutAdvisor(new OnLeaderPointcut(), new OnLeaderInterceptor(roles, missed, values));
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE - 2);
    }

    /** An initiator bean of the application is the election of its role. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof RoleElection election) {
            election.setRole(roles.join(election.roleName()));
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
            return bean; // requested without proxies, as test instances are
        }
        Class<?> type =
                ProxiedMethods.typeOf(bean, each -> !guardedMethodsOf(each).isEmpty());
        if (bean instanceof AopInfrastructureBean) {
            // A scoped proxy: its target is a separate bean, which is guarded when it is created.
            rolesOf(type).forEach(roles::join);
            return bean;
        }
        Object result = bean;
        Set<String> guarded = rolesOf(type);
        if (!guarded.isEmpty()) {
            result = super.postProcessAfterInitialization(bean, beanName);
            if (!isGuarded(bean, result)) {
                throw new AnnotationUsageException(
                        "The bean '%s' has @OnLeader methods, but its proxy takes no further advice."
                                .formatted(beanName),
                        "Do not freeze the proxy.");
            }
            guarded.forEach(roles::join);
            handOverListeners(type);
            recordRuns(type, beanName);
        }
        OnLeader annotation = LifecycleHandover.annotationOf(bean, beanName, type, beanFactory);
        return annotation == null
                ? result
                : LifecycleHandover.handOver(result, beanName, roles.join(roleOf(beanName, annotation)));
    }

    /** Joins the roles of beans that do not exist yet: of lazy ones, of other scopes, and of those that factory beans create. */
    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = beanFactory;
        if (factory == null) {
            return;
        }
        for (String name : factory.getBeanDefinitionNames()) {
            boolean isThere = factory.containsSingleton(name) && !factory.isFactoryBean(name);
            Class<?> type =
                    isThere || factory.getMergedBeanDefinition(name).isAbstract() ? null : typeOf(name, factory);
            if (type != null) {
                rolesOf(ClassUtils.getUserClass(type)).forEach(roles::join);
                startWithRole(name, type, factory);
            }
        }
    }

    private static @Nullable Class<?> typeOf(String beanName, ConfigurableListableBeanFactory factory) {
        try {
            return factory.getType(beanName, false);
        } catch (BeansException unknown) { // a class that is not there: its bean is not created either
            return null;
        }
    }

    /** The container creates no lazy bean for the sake of its role. */
    private static void startWithRole(String beanName, Class<?> type, ConfigurableListableBeanFactory factory) {
        if (LifecycleHandover.isHandedOver(type, beanName, factory)) {
            LifecycleHandover.checkContext(beanName, type, factory);
            factory.getBean(beanName);
        }
    }

    /** Also called for types, also during ahead-of-time processing, when placeholders cannot be resolved yet. */
    @Override
    protected boolean isEligible(Class<?> targetClass) {
        // A proxy that has no annotated target is not given the advice, but proxied: for its interfaces, not for its
        // target.
        return !Proxy.isProxyClass(targetClass)
                && !guardedMethodsOf(targetClass).isEmpty();
    }

    @Override
    protected boolean isEligible(Object bean, String beanName) {
        return !guardedMethodsOf(bean.getClass()).isEmpty();
    }

    /** Called ahead of time. */
    @Override
    public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
        Class<?> guarded = super.determineBeanType(beanClass, beanName);
        return guarded == beanClass ? LifecycleHandover.proxyType(beanClass, beanName, beanFactory) : guarded;
    }

    private String roleOf(String beanName, OnLeader ofLifecycle) {
        return OnLeaderRules.role(
                OnLeaderRules.ON_LEADER, "bean '%s'".formatted(Printable.name(beanName)), ofLifecycle.role(), values);
    }

    private boolean isGuarded(Object bean, Object result) {
        return result != bean
                || (bean instanceof Advised advised
                        && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each == advisor));
    }

    /** Whether a bean that is not created yet names the role. */
    boolean isNamedLater(String role) {
        ConfigurableListableBeanFactory factory = beanFactory;
        return factory != null
                && Arrays.stream(factory.getBeanDefinitionNames())
                        .filter(name -> !factory.containsSingleton(name))
                        .anyMatch(name -> isNamedBy(factory, name, role));
    }

    private boolean isNamedBy(ConfigurableListableBeanFactory factory, String beanName, String role) {
        Class<?> found = factory.getType(beanName, false);
        if (found == null) {
            return false;
        }
        Class<?> type = ClassUtils.getUserClass(found);
        Stream<OnLeader> annotations = Stream.concat(
                OnLeaderMethods.of(type).values().stream(),
                Stream.ofNullable(LifecycleHandover.find(type, beanName, factory)));
        return annotations.map(OnLeader::role).map(values).anyMatch(role::equals);
    }

    private Set<String> rolesOf(Class<?> targetClass) {
        return guardedMethodsOf(targetClass).entrySet().stream()
                .map(each -> LeaderGuard.of(each.getKey(), targetClass, each.getValue(), values))
                .map(LeaderGuard::role)
                .collect(Collectors.toUnmodifiableSet());
    }

    private void handOverListeners(Class<?> targetClass) {
        guardedMethodsOf(targetClass)
                .forEach((method, annotation) -> MessageListeners.of(method).forEach(listener -> {
                    ListenerHandover handover = besideElections(
                            listeners.get(),
                            method,
                            "is a @%s in a context that has no elections of its own, so its container is not started with the role."
                                    .formatted(listener.annotation()));
                    handover.add(
                            listener, values.apply(listener.id()), method, roles.join(values.apply(annotation.role())));
                }));
    }

    private void recordRuns(Class<?> targetClass, String beanName) {
        guardedMethodsOf(targetClass).forEach((method, annotation) -> {
            RecordedTask task = RecordedTask.of(method, targetClass, annotation, values);
            if (task != null) {
                MissedRuns runs = besideElections(
                        missed.get(),
                        method,
                        "has missed = RUN_ON_GRANT in a context that has no elections of its own.");
                runs.add(task, roles.join(task.role()), Objects.requireNonNull(beanFactory), beanName, method);
            }
        });
    }

    /** Where the elections are of a parent context, its events and stops would not reach this one in time. */
    private <T> T besideElections(@Nullable T found, Method method, String problem) {
        if (found == null || (beanFactory != null && LifecycleHandover.isOfChild(beanFactory))) {
            throw OnLeaderRules.misuse(method, problem, "Move it to the context that has the elections.");
        }
        return found;
    }

    private Map<Method, OnLeader> guardedMethodsOf(Class<?> targetClass) {
        Map<Method, OnLeader> known = guardedMethods.get(targetClass);
        if (known == null) {
            known = OnLeaderRules.checked(targetClass, OnLeaderMethods.of(targetClass));
            guardedMethods.put(targetClass, known);
        }
        return known;
    }

    private static final class OnLeaderPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return OnLeaderMethods.find(method, targetClass) != null;
        }

        /** A part of the key by which contexts share the classes of proxies. */
        @Override
        public String toString() {
            return "@OnLeader";
        }
    }

    /** Looks the bean up once, without holding a lock while the bean factory holds one. */
    private static final class LateElections implements LeaderCheck, Supplier<LeaderElections> {

        private final ObjectProvider<LeaderElections> provider;
        private volatile @Nullable LeaderElections found;

        LateElections(ObjectProvider<LeaderElections> provider) {
            this.provider = provider;
        }

        @Override
        public LeaderElections get() {
            LeaderElections elections = found;
            if (elections == null) {
                elections = provider.getObject();
                found = elections;
            }
            return elections;
        }

        @Override
        public LeaderRole join(String role) {
            return get().join(role);
        }

        @Override
        public Optional<GuardedCall> enter(String role, boolean interrupt) {
            join(role);
            return get().enter(role, interrupt);
        }

        @Override
        public Optional<GuardedWork> begin(String role, Runnable onEnd) {
            join(role);
            return get().begin(role, onEnd);
        }

        @Override
        public void skipped(String role) {
            get().join(role).countSkipped();
        }

        @Override
        public void left(String role, boolean interrupted, boolean overrun) {
            get().join(role).count(interrupted, overrun);
        }
    }
}
