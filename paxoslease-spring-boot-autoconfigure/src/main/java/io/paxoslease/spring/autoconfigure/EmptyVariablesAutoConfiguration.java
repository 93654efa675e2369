package io.paxoslease.spring.autoconfigure;

import io.paxoslease.NodeStartException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses an environment variable that sets a property to nothing, as where the value that a deployment file puts into it is missing; also one
 * that would switch the node off. Such a variable hides the value of a file, and each type of property makes something else of it:
 * {@code enabled} would be false.
 */
@AutoConfiguration
final class EmptyVariablesAutoConfiguration {

    private static final String PREFIX = "PAXOSLEASE_";
    private static final String ENABLED = PaxosLeaseProperties.PREFIX + "enabled";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryPostProcessor paxosLeaseEmptyVariables(Environment environment) {
        return beans -> refuseEmpty(environment);
    }

    private static void refuseEmpty(Environment environment) {
        List<String> empty = variables(environment);
        if (empty.isEmpty() && environment.getProperty(ENABLED, "true").isBlank()) {
            empty = List.of("property " + ENABLED);
        }
        if (!empty.isEmpty()) {
            throw new NodeStartException(
                    "A setting must not be empty:%n%n    %s%n"
                            .formatted(String.join(System.lineSeparator() + "    ", empty)),
                    "Give it a value, or remove it: then the value of a file applies, or the default.",
                    null);
        }
    }

    private static List<String> variables(Environment environment) {
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return List.of();
        }
        return configurable.getPropertySources().stream()
                .filter(SystemEnvironmentPropertySource.class::isInstance)
                .map(SystemEnvironmentPropertySource.class::cast)
                .flatMap(EmptyVariablesAutoConfiguration::of)
                .sorted()
                .flatMap(EmptyVariablesAutoConfiguration::withProperty)
                .toList();
    }

    /** Nothing for a variable that sets none: another program may have set it. */
    private static Stream<String> withProperty(String variable) {
        return PropertyNames.all().stream()
                .filter(property -> plain(variable).matches(plain(property).replace(PropertyNames.ANY, ".*")))
                .limit(1)
                .map(property -> "environment variable %s, which sets %s".formatted(variable, withoutLast(property)));
    }

    /** The whole map, where the application chooses the names in it. */
    private static String withoutLast(String property) {
        return property.endsWith("." + PropertyNames.ANY)
                ? property.substring(0, property.length() - 1 - PropertyNames.ANY.length())
                : property;
    }

    private static Stream<String> of(SystemEnvironmentPropertySource source) {
        return Arrays.stream(source.getPropertyNames())
                .filter(name -> name.startsWith(PREFIX))
                .filter(name -> String.valueOf(source.getProperty(name)).isBlank());
    }

    /** A variable has an underscore, or nothing, for each dot and dash. */
    private static String plain(String name) {
        return name.replaceAll("[._-]", "").toLowerCase(Locale.ROOT);
    }
}
