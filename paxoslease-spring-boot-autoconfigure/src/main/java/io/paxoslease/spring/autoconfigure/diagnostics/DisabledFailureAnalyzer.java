package io.paxoslease.spring.autoconfigure.diagnostics;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Analyses a required bean of this library, such as {@code PaxosLease}, or a {@code LockRegistry}, in an application that has switched it off. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DisabledFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    /** By name, as Spring Integration is optional. */
    private static final List<String> OURS = List.of(
            "io.paxoslease.PaxosLease",
            "io.paxoslease.locks.LeaseLocks",
            "io.paxoslease.spring.leader.LeaderElections",
            "io.paxoslease.spring.leader.LeaderLocator",
            "io.paxoslease.spring.lock.PaxosLeaseLockRegistry",
            "io.paxoslease.spring.shards.ShardGroups");

    private final BeanFactory beans;
    private final Environment environment;

    DisabledFailureAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        ResolvableType required = cause.getResolvableType();
        Class<?> type = required == null ? null : required.resolve();
        if (required == null
                || type == null
                || !isOurs(required, type)
                || isThere(required)
                || environment.getProperty("paxoslease.enabled", Boolean.class, true)) {
            return null;
        }
        return new FailureAnalysis(
                "A bean of the type %s is required, and there is none, because 'paxoslease.enabled' is false."
                        .formatted(type.getName()),
                "Remove 'paxoslease.enabled'; for development and tests, 'paxoslease.standalone=true' makes this instance a cell of its own. Or inject an ObjectProvider<%s> where the application can do without."
                        .formatted(type.getSimpleName()),
                cause);
    }

    /** Whether one of our beans has the type, which is no general one such as {@link AutoCloseable}. */
    private static boolean isOurs(ResolvableType required, Class<?> type) {
        ClassLoader loader = DisabledFailureAnalyzer.class.getClassLoader();
        return (type.getName().startsWith("io.paxoslease.")
                        || type.getName().startsWith("org.springframework.integration."))
                && OURS.stream()
                        .filter(name -> ClassUtils.isPresent(name, loader))
                        .anyMatch(name -> required.isAssignableFrom(ClassUtils.resolveClassName(name, loader)));
    }

    /** Whether the application has beans of its own of the type: several, or with another qualifier. */
    private boolean isThere(ResolvableType required) {
        return beans instanceof ListableBeanFactory known
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(known, required, true, false).length > 0;
    }
}
