package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import io.paxoslease.spring.docs.Pages;
import io.paxoslease.spring.docs.Pages.Snippet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Every setting that a page shows exists and takes the value that it is given there, and every property that a page names exists. */
class DocumentedSettingsTest {

    private static final Pattern SETTINGS = Pattern.compile("(?m)^(paxoslease|spring|management|server)[.:]");

    /** Names in backquotes, alone or before a value: no file, no class, no placeholder. */
    private static final Pattern NAMED =
            Pattern.compile("`((?:paxoslease|management|spring)\\.[a-z][a-z0-9.-]*[a-z0-9])(?:=[^`]*|: [^`]*)?`");

    /** Tell what was, too. */
    private static final Pattern HISTORY = Pattern.compile("CHANGELOG|decisions");

    private static final Map<String, String> KNOWN = known();

    static List<Snippet> settings() throws IOException {
        return Pages.snippets("yaml").stream()
                .filter(each -> SETTINGS.matcher(each.text()).find())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aPageShowsSettingsThatBind(Snippet snippet) throws IOException {
        bind(snippet.text());
    }

    @Test
    void theSettingsAreFound() throws IOException {
        assertThat(settings()).extracting(Snippet::page).contains("README.md", "docs/operations/configuration.md");
    }

    @Test
    void aSettingThatDoesNotExistIsFound() {
        assertThatThrownBy(() -> bind("paxoslease:\n  lese-time: 3s\n"))
                .isInstanceOf(BindException.class)
                .hasRootCauseMessage("The elements [paxoslease.lese-time] were left unbound.");
        assertThatThrownBy(() -> bind("paxoslease:\n  lease-time: short\n")).isInstanceOf(BindException.class);
        assertThatThrownBy(() -> bind("management.health.lease.enabled: false\n"))
                .isInstanceOf(AssertionError.class);
        assertThat(exists("management.endpoint.health.group.billing.include")).isTrue();
        assertThat(exists("management.endpoint.health.grop.billing.include")).isFalse();
    }

    @Test
    void everyPropertyThatAPageNamesExists() throws IOException {
        Set<String> wrong = new TreeSet<>();
        List<Path> pages = Pages.all().stream()
                .filter(page -> !HISTORY.matcher(page.toString()).find())
                .toList();
        for (Path page : pages) {
            String text = Files.readString(page);
            NAMED.matcher(text)
                    .results()
                    .map(name -> name.group(1))
                    .filter(name -> isOfThisClassPath(name) && !exists(name))
                    .forEach(name -> wrong.add(page.getFileName() + ": " + name));
        }
        assertThat(wrong).isEmpty();
    }

    private static void bind(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        assertThat(sources).isNotEmpty();
        for (PropertySource<?> source : sources) {
            new Binder(ConfigurationPropertySources.from(source))
                    .bind(
                            "paxoslease",
                            Bindable.of(PaxosLeaseProperties.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
            String[] names = ((EnumerablePropertySource<?>) source).getPropertyNames();
            assertThat(names).allSatisfy(name -> assertThat(exists(name.replaceAll("\\[\\d+]$", "")))
                    .as(name)
                    .isTrue());
        }
    }

    /** Spring Boot's modules have their own properties, and not all modules are here. */
    private static boolean isOfThisClassPath(String name) {
        String group = name.replaceAll("^(spring\\.[a-z-]+\\.).*", "$1");
        return !name.startsWith("spring.") || KNOWN.keySet().stream().anyMatch(each -> each.startsWith(group));
    }

    /** Whether it is a property, within one that is a map, or what several properties begin with. */
    private static boolean exists(String name) {
        if (KNOWN.containsKey(name)) {
            return true;
        }
        return KNOWN.entrySet().stream()
                .anyMatch(each -> each.getKey().startsWith(name + ".")
                        || (each.getValue().startsWith("java.util.Map") && name.startsWith(each.getKey() + ".")));
    }

    /** The types of all properties on the class path, and of meters, by name. */
    private static Map<String, String> known() {
        Map<String, String> known = new HashMap<>();
        try {
            for (URL file : Collections.list(DocumentedSettingsTest.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream in = file.openStream()) {
                    List<Map<String, Object>> properties = new ArrayList<>(JsonPath.read(in, "$.properties[*]"));
                    properties.forEach(
                            each -> known.put(String.valueOf(each.get("name")), String.valueOf(each.get("type"))));
                }
            }
            Pattern.compile("(?m)^\\| `(paxoslease[.a-z]+)` \\|")
                    .matcher(Files.readString(Path.of("../docs/operations/metrics.md")))
                    .results()
                    .forEach(meter -> known.put(meter.group(1), "meter"));
            known.put("paxoslease.callback", "observation");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }
}
