package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.membership.MemberText;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * A list of members that is configured either in one text, as an environment variable can be, or entry by entry. If it is both, the property
 * source that comes first decides, as it does for every other property: a variable replaces the list of a file.
 */
final class ConfiguredMembers {

    private ConfiguredMembers() {}

    /**
     * The members, node id to address: in the order of the text, or of their ids, as entries have none in most sources.
     *
     * @param bound what has been bound: the entries of all sources if any source has one, else the text
     */
    static Map<String, String> read(String property, Map<String, String> bound, Environment environment) {
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return new TreeMap<>(bound);
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source :
                ConfigurationPropertySources.from(configurable.getPropertySources())) {
            String text = text(source, name, environment);
            if (!text.isBlank()) {
                return parse(property, text);
            }
            if (source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                break;
            }
        }
        return entries(property, bound);
    }

    /** Entries of a list are texts or maps: {@code 0} is {@code a=host:port}, or {@code 0.a} is {@code host:port}. */
    private static Map<String, String> entries(String property, Map<String, String> bound) {
        boolean isList = !bound.isEmpty()
                && bound.entrySet().stream()
                        .allMatch(entry -> entry.getKey().matches("\\d+\\..+")
                                || (entry.getKey().matches("\\d+")
                                        && entry.getValue().contains("=")));
        return isList
                ? parse(
                        property,
                        bound.entrySet().stream()
                                .map(entry -> entry.getKey().matches("\\d+")
                                        ? entry.getValue()
                                        : entry.getKey().replaceFirst("\\d+\\.", "") + "=" + entry.getValue())
                                .collect(Collectors.joining(",")))
                : new TreeMap<>(bound);
    }

    private static String text(
            ConfigurationPropertySource source, ConfigurationPropertyName name, Environment environment) {
        ConfigurationProperty found = source.getConfigurationProperty(name);
        return found == null ? "" : environment.resolvePlaceholders(String.valueOf(found.getValue()));
    }

    private static Map<String, String> parse(String property, String text) {
        try {
            return MemberText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(property, text, e.getMessage() + ".");
        }
    }
}
