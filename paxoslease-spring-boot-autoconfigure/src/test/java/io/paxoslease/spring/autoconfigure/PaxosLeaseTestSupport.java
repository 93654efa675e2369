package io.paxoslease.spring.autoconfigure;

import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** Contexts with everything that this module configures. */
public final class PaxosLeaseTestSupport {

    private static final Class<?>[] ALL = Stream.of(
                    "autoconfigure.EmptyVariables",
                    "autoconfigure.PaxosLease",
                    "autoconfigure.LeaseLocks",
                    "lock.LockedRefusal",
                    "lock.PaxosLeaseLock",
                    "leader.PaxosLeaseLeader",
                    "leader.OnLeaderRefusal",
                    "shards.PaxosLeaseShards",
                    "actuate.PaxosLeaseEndpoint")
            .map(PaxosLeaseTestSupport::autoConfiguration)
            .toArray(Class<?>[]::new);

    private PaxosLeaseTestSupport() {}

    /** By its name in this module without the end, as most of them are package-private. */
    public static Class<?> autoConfiguration(String name) {
        return ClassUtils.resolveClassName(
                "io.paxoslease.spring." + name + "AutoConfiguration", PaxosLeaseTestSupport.class.getClassLoader());
    }

    /** All of this module's auto-configurations, in their order. */
    public static Class<?>[] autoConfigurations() {
        return ALL.clone();
    }

    /** A cell of one. */
    public static ApplicationContextRunner runner() {
        return runnerWithoutProperties().withPropertyValues("paxoslease.standalone=true");
    }

    /** Names no cell. */
    static ApplicationContextRunner runnerWithoutProperties() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(ALL));
    }

    /** Imports all of them, after the configuration that it stands on. */
    public static final class All implements DeferredImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return Stream.of(ALL).map(Class::getName).toArray(String[]::new);
        }
    }
}
