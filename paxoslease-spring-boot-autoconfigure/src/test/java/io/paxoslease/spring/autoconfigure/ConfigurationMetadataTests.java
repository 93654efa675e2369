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
                .containsAll(Stream.of(PaxosLeaseProperties.class.getRecordComponents())
                        .map(ConfigurationMetadataTests::nameOf)
                        .toList());
        assertThat(defaultOf("paxoslease.enabled")).isEqualTo(true);
        assertThat(defaultOf("paxoslease.cell")).isEqualTo("paxoslease");
        assertThat(defaultOf("paxoslease.lease-time")).isEqualTo("3s");
        assertThat(defaultOf("paxoslease.clock-drift")).isEqualTo(0.1);
    }

    private Object defaultOf(String name) {
        return properties.stream()
                .filter(property -> name.equals(property.get("name")))
                .map(property -> Objects.requireNonNull(property.get("defaultValue")))
                .findFirst()
                .orElseThrow();
    }

    private static String nameOf(RecordComponent component) {
        String dashed = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return ConfigurationPropertyName.of("paxoslease").append(dashed).toString();
    }
}
