package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.paxoslease.spring.ModuleResources;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** What editors show of the properties. */
class ConfigurationMetadataTests {

    private final List<Map<String, Object>> properties;

    ConfigurationMetadataTests() throws IOException {
        properties =
                JsonPath.read(ModuleResources.read("META-INF/spring-configuration-metadata.json"), "$.properties[*]");
    }

    @Test
    void everyPropertyHasADescription() {
        assertThat(properties).isNotEmpty().allSatisfy(property -> assertThat(property)
                .extractingByKey("description")
                .asString()
                .as("%s", property.get("name"))
                .endsWith("."));
    }

    @Test
    void everyPropertyIsListedWithItsDefault() {
        assertThat(properties)
                .extracting(property -> property.get("name"))
                .containsAll(namesOf(PaxosLeaseProperties.class, ConfigurationPropertyName.of("paxoslease"))
                        .toList());
        assertThat(defaultOf("paxoslease.enabled")).isEqualTo(true);
        assertThat(defaultOf("paxoslease.cell")).isEqualTo("paxoslease");
        assertThat(defaultOf("paxoslease.lease-time")).isEqualTo("3s");
        assertThat(defaultOf("paxoslease.clock-drift")).isEqualTo(0.1);
        assertThat(defaultOf("paxoslease.locks.interrupt-on-loss")).isEqualTo(false);
    }

    @Test
    void nestedPropertiesAreLookedForToo() {
        assertThat(namesOf(PaxosLeaseProperties.class, ConfigurationPropertyName.of("paxoslease")))
                .contains("paxoslease.lease-time", "paxoslease.locks.ttl")
                .doesNotContain("paxoslease.locks");
    }

    private Object defaultOf(String name) {
        return properties.stream()
                .filter(property -> name.equals(property.get("name")))
                .map(property -> Objects.requireNonNull(property.get("defaultValue")))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<String> namesOf(Class<?> type, ConfigurationPropertyName prefix) {
        return Stream.of(type.getRecordComponents()).flatMap(component -> {
            ConfigurationPropertyName name = prefix.append(dashed(component));
            return component.getType().isRecord() ? namesOf(component.getType(), name) : Stream.of(name.toString());
        });
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
