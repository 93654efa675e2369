package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.FleaseOptions;
import io.paxoslease.InMemoryCell;
import io.paxoslease.StorageOptions;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.OnLeader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;

/** An application with everything on, over HTTP; and the dashboard and the alerts against what it says of itself. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTests {

    private static final Path OPERATIONS = Path.of("../docs/operations");
    private static final Pattern METRIC = Pattern.compile("\\bpaxoslease_[a-z_]+");
    private static final Pattern LABELS = Pattern.compile("\\bpaxoslease_[a-z_]+\\{([^}]*)}");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right) ?\\(([^)]*)\\)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context = new SpringApplicationBuilder(App.class)
            .properties(new TestCell(3).propertiesOf("n1"))
            .properties(
                    "server.port=0",
                    "management.endpoints.web.exposure.include=*",
                    "management.endpoint.health.show-details=always",
                    "management.endpoint.health.probes.enabled=true",
                    "spring.main.banner-mode=off")
            .run();

    @AfterAll
    void stop() {
        context.close();
    }

    /** Nobody answers here: the overall health says so, and the probes that restart or isolate a process do not. */
    @Test
    void aMissingMajorityLeavesTheProbesAlone() throws Exception {
        DocumentContext json = JsonPath.parse(get("health", 503));
        assertThat(json.<String>read("$.components.leases.status")).isEqualTo("OUT_OF_SERVICE");
        assertThat(json.<Map<String, String>>read("$.components.leases.details.missing"))
                .containsOnlyKeys("n2", "n3");
        assertThat(JsonPath.parse(get("health/liveness", 200)).<String>read("$.status"))
                .isEqualTo("UP");
        assertThat(JsonPath.parse(get("health/readiness", 200)).<String>read("$.status"))
                .isEqualTo("UP");
    }

    @Test
    void infoSaysWhoLeads() throws Exception {
        DocumentContext json = JsonPath.parse(get("info", 200));
        assertThat(json.<String>read("$.leaderElection.node")).isEqualTo("n1");
        assertThat(json.<Boolean>read("$.leaderElection.roles.billing.leading")).isFalse();
    }

    @Test
    void theDashboardShowsMetersThatExist() throws Exception {
        DocumentContext dashboard = JsonPath.parse(Files.readString(OPERATIONS.resolve("grafana-dashboard.json")));
        List<String> expressions = new ArrayList<>(dashboard.<List<String>>read("$..expr"));
        expressions.addAll(dashboard.<List<String>>read("$.templating.list[*].definition"));
        assertThat(expressions).hasSizeGreaterThan(10);
        assertExist(expressions);
    }

    @Test
    void theAlertsAskMetersThatExist() throws Exception {
        Object file = new Yaml().load(Files.readString(OPERATIONS.resolve("alerts.yml")));
        DocumentContext alerts = JsonPath.parse(file);
        assertThat(alerts.<List<Map<String, Object>>>read("$.groups"))
                .allSatisfy(group -> assertThat(group).containsOnlyKeys("name", "rules"));
        assertThat(alerts.<List<Map<String, Object>>>read("$.groups[*].rules[*]"))
                .allSatisfy(rule -> assertThat(rule.keySet())
                        .contains("alert", "expr", "labels", "annotations")
                        .isSubsetOf("alert", "expr", "for", "labels", "annotations"));
        List<String> expressions = alerts.read("$.groups[*].rules[*].expr");
        assertThat(expressions).hasSizeGreaterThan(5);
        assertExist(expressions);
    }

    @Test
    void aMeterThatDoesNotExistIsFound() throws Exception {
        assertThat(missing(List.of("rate(paxoslease_nothing_total[5m])"))).containsExactly("paxoslease_nothing_total");
        assertThat(missing(List.of("sum by (colour) (paxoslease_leader{shape=\"x\"})")))
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
        List<String> names = JsonPath.parse(get("metrics", 200)).read("$.names");
        Set<String> existing = new TreeSet<>(names.stream()
                .filter(name -> name.startsWith("paxoslease."))
                .filter(name -> !name.startsWith(CallbackObservations.NAME))
                .toList());
        existing.addAll(metersOf(InMemoryCell.of(FleaseOptions.defaults(), "a", "b", "c")));
        existing.addAll(metersOf(InMemoryCell.overStorage(
                StorageOptions.Form.COMPARE_AND_SET, Duration.ofSeconds(3), Duration.ofMillis(100), "a")));
        assertThat(documented).containsExactlyElementsOf(existing);
    }

    private static List<String> metersOf(InMemoryCell cell) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (cell;
                PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null)) {
            metrics.bindTo(registry);
            return registry.getMeters().stream()
                    .map(meter -> meter.getId().getName())
                    .toList();
        }
    }

    private void assertExist(List<String> expressions) throws Exception {
        assertThat(missing(expressions)).isEmpty();
    }

    private Set<String> missing(List<String> expressions) throws Exception {
        String scrape = get("prometheus", 200);
        Set<String> missing = new TreeSet<>();
        for (String expression : expressions) {
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
        }
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
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
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
