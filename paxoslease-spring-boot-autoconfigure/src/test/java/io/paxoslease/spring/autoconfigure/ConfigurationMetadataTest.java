package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.paxoslease.spring.ModuleResources;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The metadata of the properties, which editors show, and the pages that list them. */
class ConfigurationMetadataTest {

    private static final Path CONFIGURATION = Path.of("../docs/reference/properties.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `paxoslease\\.[^`]+` \\| [^|]+");

    private final List<Map<String, Object>> properties;

    ConfigurationMetadataTest() throws IOException {
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
        assertThat(defaultOf("paxoslease.lease-time")).isEqualTo("3s");
        assertThat(defaultOf("paxoslease.clock-drift")).isEqualTo(0.1);
        assertThat(defaultOf("paxoslease.generation")).isEqualTo(1);
        assertThat(defaultOf("paxoslease.locks.interrupt-on-loss")).isEqualTo(false);
        assertThat(defaultOf("paxoslease.locks.idle-retention")).isEqualTo("1s");
        assertThat(defaultOf("paxoslease.locks.max-local-handoffs")).isEqualTo(1);
    }

    @Test
    void nestedPropertiesAreLookedForToo() {
        assertThat(namesOf(PaxosLeaseProperties.class, ConfigurationPropertyName.of("paxoslease")))
                .contains("paxoslease.lease-time", "paxoslease.locks.ttl")
                .doesNotContain("paxoslease.locks");
    }

    /** The values that editors suggest are values that start a node. */
    @Test
    void everyHintIsForAPropertyAndSuggestsWhatWorks() throws IOException {
        List<Map<String, Object>> hints =
                JsonPath.read(ModuleResources.read("META-INF/spring-configuration-metadata.json"), "$.hints[*]");
        assertThat(hints).hasSizeGreaterThan(3);
        for (Map<String, Object> hint : hints) {
            assertThat(properties).extracting(property -> property.get("name")).contains(hint.get("name"));
            for (Object value : JsonPath.<List<Object>>read(hint, "$.values[*].value")) {
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(PaxosLeaseAutoConfiguration.class))
                        .withPropertyValues(
                                "paxoslease.standalone=true",
                                "paxoslease.max-lease-time=30s",
                                hint.get("name") + "=" + value)
                        .run(context -> assertThat(context).hasNotFailed());
            }
        }
    }

    @Test
    void onePageListsEveryPropertyWithItsDefault() throws IOException {
        String page = Files.readString(CONFIGURATION);
        assertThat(properties).allSatisfy(property -> {
            assertThat(page).contains("| `" + documented(property));
            Object value = property.get("defaultValue");
            if (value != null) {
                assertThat(page).contains("| `%s` | `%s`".formatted(property.get("name"), value));
            }
        });
    }

    @Test
    void theReadmeRepeatsRowsOfThatPage() throws IOException {
        assertThat(rowsOf(Path.of("../README.md"))).isNotEmpty().isSubsetOf(rowsOf(CONFIGURATION));
    }

    /** Name and default of each property in the tables of that page. */
    private static List<String> rowsOf(Path page) throws IOException {
        return ROW.matcher(Files.readString(page))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static String documented(Map<String, Object> property) {
        return switch (String.valueOf(property.get("name"))) {
            case "paxoslease.peers" -> "paxoslease.peers.<id>`";
            case "paxoslease.http.urls" -> "paxoslease.http.urls.<id>`";
            case "paxoslease.previous-peers" -> "paxoslease.previous-peers.<id>`";
            case "paxoslease.roles" -> "paxoslease.roles.<name>.";
            case "paxoslease.shards" -> "paxoslease.shards.<group>.";
            default -> property.get("name") + "`";
        };
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
