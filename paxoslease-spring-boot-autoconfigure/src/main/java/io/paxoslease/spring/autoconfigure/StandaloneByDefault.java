package io.paxoslease.spring.autoconfigure;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;

/**
 * Makes an application that configures no cell standalone where it does no harm: in tests and under DevTools. It adds a property source
 * after all others. Without it such an application does not start.
 */
public final class StandaloneByDefault {

    /** The name of the property source. */
    static final String SOURCE = "paxosLeaseStandaloneByDefault";

    private static final String STANDALONE = PaxosLeaseProperties.PREFIX + "standalone";
    private static final String ALGORITHM = PaxosLeaseProperties.PREFIX + "algorithm";
    /** Each of them says what the cell is. */
    private static final List<ConfigurationPropertyName> CELLS = List.of(
            ConfigurationPropertyName.of(STANDALONE),
            ConfigurationPropertyName.of(PaxosLeaseProperties.PREFIX + "peers"),
            ConfigurationPropertyName.of(PaxosLeaseProperties.PREFIX + "contact-points"));

    private static final class Source extends MapPropertySource {
        private final String because;

        private Source(String because) {
            super(SOURCE, Map.of(STANDALONE, true));
            this.because = because;
        }
    }

    private StandaloneByDefault() {}

    /**
     * Sets {@code paxoslease.standalone=true} unless a cell is configured.
     *
     * @param because where the application runs, for a sentence
     */
    public static void apply(ConfigurableEnvironment environment, String because) {
        MutablePropertySources sources = environment.getPropertySources();
        if (!sources.contains(SOURCE) && !isConfigured(environment)) {
            sources.addLast(new Source(because));
        }
    }

    private static boolean isConfigured(ConfigurableEnvironment environment) {
        if ("storage".equalsIgnoreCase(environment.getProperty(ALGORITHM))) {
            return true; // the instances meet in the store
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            for (ConfigurationPropertyName name : CELLS) {
                if (source.getConfigurationProperty(name) != null
                        || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Why the application is standalone although it does not say so; null if it says so, or is not. */
    static @Nullable String in(Environment environment) {
        return environment instanceof ConfigurableEnvironment configurable
                        && configurable.getPropertySources().get(SOURCE) instanceof Source source
                ? source.because
                : null;
    }
}
