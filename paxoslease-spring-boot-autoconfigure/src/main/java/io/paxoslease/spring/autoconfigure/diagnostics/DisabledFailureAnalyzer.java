package io.paxoslease.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Analyses a required bean of this library, such as {@code PaxosLease}, or a {@code LockRegistry}, in an application that has switched it off. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DisabledFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final Environment environment;

    DisabledFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        ResolvableType required = cause.getResolvableType();
        Class<?> type = required == null ? null : required.resolve();
        if (type == null
                || !isOurs(type.getName())
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

    /** Without a class of Spring Integration, which is optional. */
    private static boolean isOurs(String type) {
        return type.startsWith("io.paxoslease.") || type.startsWith("org.springframework.integration.support.locks.");
    }
}
