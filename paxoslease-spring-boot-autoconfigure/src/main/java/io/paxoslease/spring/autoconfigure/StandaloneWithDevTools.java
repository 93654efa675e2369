package io.paxoslease.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Lets an application that configures no cell start in an IDE, standalone, if DevTools restart it. They do so from directories of classes,
 * and are not in the jar that Spring Boot builds of an application.
 */
final class StandaloneWithDevTools implements EnvironmentPostProcessor, Ordered {

    private static final String RESTARTING = "org.springframework.boot.devtools.restart.classloader.RestartClassLoader";

    /** When the application's files have been read. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (isRestarting(application.getClassLoader())) {
            StandaloneByDefault.apply(environment, "under DevTools");
        }
    }

    private static boolean isRestarting(@Nullable ClassLoader loader) {
        for (ClassLoader each = loader; each != null; each = each.getParent()) {
            if (each.getClass().getName().equals(RESTARTING)) {
                return true;
            }
        }
        return false;
    }
}
