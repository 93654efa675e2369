package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.OnLeader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;

/**
 * An application with everything on over each algorithm, over HTTP; and the dashboard and the alerts against what they
 * say of themselves.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTest {

    private static final Path OPERATIONS = Path.of("../docs/operations");
    private static final Pattern METRIC = Pattern.compile("\\bpaxoslease_[a-z_]+");
    private static final Pattern LABELS = Pattern.compile("\\bpaxoslease_[a-z_]+\\{([^}]*)}");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right) ?\\(([^)]*)\\)");

    private enum Algorithm {
        PAXOSLEASE,
        FLEASE,
        STORAGE
    }

    /** In the order of the documentation's columns. */
    private static final List<Algorithm> ALGORITHMS =
            List.of(Algorithm.PAXOSLEASE, Algorithm.FLEASE, Algorithm.STORAGE);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Algorithm, ConfigurableApplicationContext> contexts = new EnumMap<>(Algorithm.class);

    OperationsTest(@TempDir Path store) {
        for (Algorithm algorithm : Algorithm.values()) {
            contexts.put(
                    algorithm,
                    run(
                            "paxoslease.algorithm=" + algorithm.name().toLowerCase(Locale.ROOT),
                            algorithm == Algorithm.PAXOSLEASE ? "paxoslease.shards.invoices.count=2" : "",
                            algorithm == Algorithm.STORAGE ? "paxoslease.storage.directories=" + store : "",
                            algorithm == Algorithm.STORAGE ? "paxoslease.storage.access-bound=100ms" : ""));
        }
    }

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .properties(new TestCell(3).propertiesOf("n1"))
                .properties(properties)
                .properties(
                        "server.port=0",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.probes.enabled=true",
                        "spring.main.banner-mode=off")
                .run();
    }

    @AfterAll
    void stop() {
        contexts.values().forEach(ConfigurableApplicationContext::close);
    }

    /**
     * No peer answers here: health shows it, and no request fails for it once the quarantine has ended. So an orchestrator that asks for any of
     * them restarts no instance, and starts the next one of a first roll-out, one by one, without which there is no majority.
     */
    @Test
    void aMissingMajorityLeavesTheProbesAlone() throws Exception {
        assertThat(JsonPath.parse(get("health/liveness", 200)).<String>read("$.status"))
                .isEqualTo("UP");
        await().untilAsserted(() -> get("health/readiness", 200));
        DocumentContext json = JsonPath.parse(get("health", 200));
        assertThat(json.<String>read("$.status")).isEqualTo("UP");
        assertThat(json.<String>read("$.components.leases.status")).isEqualTo("UNKNOWN");
        assertThat(json.<Map<String, String>>read("$.components.leases.details.missing"))
                .containsOnlyKeys("n2", "n3");
    }

    @Test
    void infoSaysWhoLeads() throws Exception {
        DocumentContext json = JsonPath.parse(get("info", 200));
        assertThat(json.<String>read("$.leaderElection.node")).isEqualTo("n1");
        assertThat(json.<Boolean>read("$.leaderElection.roles.billing.leading")).isFalse();
    }

    /** A panel asks for meters of exactly the algorithms that its section names. */
    @Test
    void theDashboardShowsMetersThatExist() throws Exception {
        DocumentContext dashboard = JsonPath.parse(Files.readString(OPERATIONS.resolve("grafana-dashboard.json")));
        for (String definition : dashboard.<List<String>>read("$.templating.list[*].definition")) {
            assertAsks(definition, EnumSet.allOf(Algorithm.class));
        }
        Set<Algorithm> section = EnumSet.noneOf(Algorithm.class);
        Set<Algorithm> shown = EnumSet.noneOf(Algorithm.class);
        for (Map<String, Object> panel : dashboard.<List<Map<String, Object>>>read("$.panels")) {
            if ("row".equals(panel.get("type"))) {
                section = namedIn(String.valueOf(panel.get("title")));
                continue;
            }
            List<String> expressions = JsonPath.read(panel, "$.targets[*].expr");
            assertThat(expressions).isNotEmpty();
            for (String expression : expressions) {
                assertAsks(expression, section);
            }
            shown.addAll(section);
        }
        assertThat(shown).containsExactly(Algorithm.values());
    }

    private static Set<Algorithm> namedIn(String title) {
        return ALGORITHMS.stream()
                .filter(each -> title.startsWith("All ")
                        || title.toUpperCase(Locale.ROOT).contains(each.name()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Algorithm.class)));
    }

    /** A rule can fire with exactly the algorithms that the documentation names. */
    @Test
    void theAlertsAskMetersThatExist() throws Exception {
        Object file = new Yaml().load(Files.readString(OPERATIONS.resolve("alerts.yml")));
        DocumentContext alerts = JsonPath.parse(file);
        assertThat(alerts.<List<Map<String, Object>>>read("$.groups"))
                .allSatisfy(group -> assertThat(group).containsOnlyKeys("name", "rules"));
        List<Map<String, Object>> rules = alerts.read("$.groups[*].rules[*]");
        assertThat(rules).allSatisfy(rule -> assertThat(rule.keySet())
                .contains("alert", "expr", "labels", "annotations")
                .isSubsetOf("alert", "expr", "for", "labels", "annotations"));
        Map<String, Set<Algorithm>> documented = documentedRules();
        assertThat(rules).extracting(rule -> rule.get("alert")).containsExactlyElementsOf(documented.keySet());
        for (Map<String, Object> rule : rules) {
            assertAsks(
                    String.valueOf(rule.get("expr")),
                    Objects.requireNonNull(documented.get(String.valueOf(rule.get("alert")))));
        }
    }

    private static Map<String, Set<Algorithm>> documentedRules() throws IOException {
        Map<String, Set<Algorithm>> rules = new LinkedHashMap<>();
        Pattern.compile("(?m)^\\| `(PaxosLease[A-Za-z]+)` \\| (yes|no) \\| (yes|no) \\| (yes|no) \\|")
                .matcher(Files.readString(OPERATIONS.resolve("metrics.md")))
                .results()
                .forEach(row -> rules.put(
                        row.group(1),
                        ALGORITHMS.stream()
                                .filter(each ->
                                        row.group(2 + ALGORITHMS.indexOf(each)).equals("yes"))
                                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Algorithm.class)))));
        return rules;
    }

    @Test
    void aMeterThatDoesNotExistIsFound() throws Exception {
        assertThat(missing(Algorithm.PAXOSLEASE, "rate(paxoslease_nothing_total[5m])"))
                .containsExactly("paxoslease_nothing_total");
        assertThat(missing(Algorithm.PAXOSLEASE, "sum by (colour) (paxoslease_leader{shape=\"x\"})"))
                .containsExactly("colour", "shape");
    }

    /** Every meter is in the documentation, and everything that it names exists. */
    @Test
    void theDocumentationNamesTheMetersThatExist() throws Exception {
        String text = Files.readString(OPERATIONS.resolve("metrics.md"));
        Set<String> documented = new TreeSet<>();
        Matcher rows = Pattern.compile("(?m)^\\| `(paxoslease[.a-z]+)`").matcher(text);
        while (rows.find()) {
            documented.add(rows.group(1));
        }
        Set<String> existing = new TreeSet<>();
        for (Algorithm algorithm : Algorithm.values()) {
            List<String> names = JsonPath.parse(get(algorithm, "metrics", 200)).read("$.names");
            names.stream()
                    .filter(name -> name.startsWith("paxoslease."))
                    .filter(name -> !name.startsWith(DefaultLeaseCallbackObservationConvention.NAME))
                    .forEach(existing::add);
        }
        assertThat(documented).containsExactlyElementsOf(existing);
    }

    private void assertAsks(String expression, Set<Algorithm> algorithms) throws Exception {
        assertThat(algorithms).isNotEmpty();
        for (Algorithm algorithm : Algorithm.values()) {
            Set<String> missing = missing(algorithm, expression);
            if (algorithms.contains(algorithm)) {
                assertThat(missing).as("%s with %s", expression, algorithm).isEmpty();
            } else {
                assertThat(missing).as("%s with %s", expression, algorithm).isNotEmpty();
            }
        }
    }

    private Set<String> missing(Algorithm algorithm, String expression) throws Exception {
        String scrape = get(algorithm, "prometheus", 200);
        Set<String> missing = new TreeSet<>();
        matches(METRIC, expression).stream()
                .filter(name -> !Pattern.compile("(?m)^" + name + "[ {]")
                        .matcher(scrape)
                        .find())
                .forEach(missing::add);
        List<String> labels = new ArrayList<>();
        matches(LABELS, expression).forEach(inside -> labels.addAll(names(inside)));
        matches(GROUPING, expression).forEach(inside -> labels.addAll(names(inside)));
        labels.stream()
                .filter(label -> !Set.of("instance", "job").contains(label))
                .filter(label -> !scrape.contains(label + "=\""))
                .forEach(missing::add);
        return missing;
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.groupCount() == 0 ? found.group() : found.group(1))
                .toList();
    }

    private static List<String> names(String list) {
        return Pattern.compile("(?:^|,)\\s*([a-z_]+)")
                .matcher(list)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private String get(String path, int status) throws IOException, InterruptedException {
        return get(Algorithm.PAXOSLEASE, path, status);
    }

    private String get(Algorithm algorithm, String path, int status) throws IOException, InterruptedException {
        String port = Objects.requireNonNull(contexts.get(algorithm))
                .getEnvironment()
                .getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://localhost:%s/actuator/%s".formatted(port, path)))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        BillingJob billingJob() {
            return new BillingJob();
        }
    }

    static class BillingJob {
        @OnLeader("billing")
        void run() {}
    }
}
