package io.paxoslease.spring.autoconfigure;

import java.util.Objects;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What an application that does not start tells its user, by the analyzers that are registered. */
public final class FailureAnalyses {

    private FailureAnalyses() {}

    /**
     * The analysis of that failure.
     *
     * @throws NullPointerException if there is none: the user is told a stack trace
     */
    public static FailureAnalysis of(@Nullable Throwable failure) {
        return of(failure, new DefaultListableBeanFactory(), new StandardEnvironment());
    }

    /** The same of this context. */
    public static FailureAnalysis of(@Nullable Throwable failure, ConfigurableApplicationContext context) {
        return of(failure, context.getBeanFactory(), context.getEnvironment());
    }

    private static FailureAnalysis of(@Nullable Throwable failure, BeanFactory beans, Environment environment) {
        return Objects.requireNonNull(
                SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(
                                FailureAnalyzer.class,
                                ArgumentResolver.of(BeanFactory.class, beans).and(Environment.class, environment),
                                FailureHandler.logging(LogFactory.getLog(FailureAnalyses.class)))
                        .stream()
                        .map(analyzer -> analyzer.analyze(Objects.requireNonNull(failure, "it has started")))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null),
                "no analysis");
    }
}
