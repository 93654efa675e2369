package io.paxoslease.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Contexts with everything that this module configures. */
public final class PaxosLeaseTestSupport {

    private static final Class<?>[] ALL = {
        PropertyPlaceholderAutoConfiguration.class,
        PaxosLeaseAutoConfiguration.class,
        PaxosLeaseLockedAutoConfiguration.class,
        PaxosLeaseLockAutoConfiguration.class,
        PaxosLeaseLeaderAutoConfiguration.class,
        PaxosLeaseLeaderInitiatorAutoConfiguration.class,
        OnLeaderRefusalAutoConfiguration.class,
        PaxosLeaseEndpointAutoConfiguration.class
    };

    private PaxosLeaseTestSupport() {}

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
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ALL));
    }
}
