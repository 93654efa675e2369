package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Puts the check in front of {@link OnLeader} methods, and stands for their roles. Registered by the auto-configuration.
 *
 * <p>It makes the proxies itself instead of relying on an {@code Advisor} bean: those are ignored, without a word, when
 * {@code spring.aop.auto=false}, and the leader's work would then run on every node. The check goes before existing
 * advice, so a follower opens no transaction. The order lets {@code @Async} wrap the check, which then runs in the worker
 * thread, and lets {@code @Scheduled} and message listeners call the proxy.
 */
@SuppressWarnings("serial") // inherited from a class of settings; never serialized
public final class OnLeaderPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private final Map<Class<?>, Set<String>> rolesByClass = new ConcurrentHashMap<>();
    private final Consumer<String> foundRoles;

    /** @param elections runs the elections of the roles that are found; asked for when the first is found */
    public OnLeaderPostProcessor(ObjectProvider<LeaderElections> elections) {
        this(new Memo(elections));
    }

    private OnLeaderPostProcessor(Supplier<LeaderElections> elections) {
        this(role -> elections.get().isLeader(role), role -> elections.get().join(role));
    }

    OnLeaderPostProcessor(Predicate<String> isLeader, Consumer<String> foundRoles) {
        this.foundRoles = foundRoles;
        this.advisor = new DefaultPointcutAdvisor(
                new OnLeaderPointcut(), new OnLeaderInterceptor(isLeader, this::resolvePlaceholders));
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
    }

    /** @throws OnLeaderUsageException when the bean has an annotated method whose calls cannot be guarded */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
            return bean; // asked for without proxies, as test instances are
        }
        Set<String> roles = rolesOf(AopUtils.getTargetClass(bean));
        if (roles.isEmpty()) {
            return bean;
        }
        Object result = super.postProcessAfterInitialization(bean, beanName);
        // A scoped proxy stands for a target that is a bean of its own, and is guarded when that is made.
        if (!(bean instanceof AopInfrastructureBean) && !isGuarded(bean, result)) {
            throw new OnLeaderUsageException(
                    "The bean '%s' has @OnLeader methods, but its proxy takes no further advice.".formatted(beanName),
                    "Do not freeze the proxy.");
        }
        roles.forEach(foundRoles);
        return result;
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return !rolesOf(targetClass).isEmpty();
    }

    private boolean isGuarded(Object bean, Object result) {
        return result != bean
                || (bean instanceof Advised advised
                        && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each == advisor));
    }

    private Set<String> rolesOf(Class<?> targetClass) {
        return rolesByClass.computeIfAbsent(targetClass, type -> OnLeaderMethods.of(type).entrySet().stream()
                .map(each -> LeaderGuard.of(each.getKey(), type, each.getValue(), this::resolvePlaceholders))
                .map(LeaderGuard::role)
                .collect(Collectors.toUnmodifiableSet()));
    }

    private String resolvePlaceholders(String text) {
        ConfigurableListableBeanFactory factory = beanFactory;
        String resolved = factory == null ? text : factory.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }

    private static final class OnLeaderPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return OnLeaderMethods.find(method, targetClass) != null;
        }
    }

    /** Looks the bean up once, without holding a lock of its own while the bean factory holds one. */
    private static final class Memo implements Supplier<LeaderElections> {

        private final ObjectProvider<LeaderElections> provider;
        private volatile @Nullable LeaderElections found;

        Memo(ObjectProvider<LeaderElections> provider) {
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
    }
}
