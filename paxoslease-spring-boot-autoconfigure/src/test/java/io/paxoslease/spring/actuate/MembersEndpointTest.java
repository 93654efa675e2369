package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Members that change over HTTP, as an operator asks. No other member runs, so a change that is stored stays under way. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MembersEndpointTest {

    private static final String NEXT = """
            {"peers": "n1=127.0.0.1:7401, n2=127.0.0.1:7402,n4=[::1]:7404"}
            """;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path file;
    private ConfigurableApplicationContext context;
    private String first;
    /** A node that has read a change takes no other one below it. */
    private boolean isChanged;

    MembersEndpointTest(@TempDir Path directory) throws IOException {
        file = directory.resolve("members");
        context = start("paxoslease.membership-store.file=" + file);
        first = Files.readString(file);
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .properties(new TestCell(2).propertiesOf("n1"))
                .properties("paxoslease.cell=shop")
                .properties(
                        "server.port=0",
                        "spring.jmx.enabled=true",
                        "management.endpoints.web.exposure.include=leases,health",
                        "management.endpoints.jmx.exposure.include=leases",
                        "management.endpoint.leases.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @BeforeEach
    void restore() throws IOException {
        if (isChanged) {
            context.close();
            Files.delete(file);
            context = start("paxoslease.membership-store.file=" + file);
            first = Files.readString(file);
            isChanged = false;
        }
        Files.writeString(file, first);
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @Test
    void itShowsTheMembersAndWhatIsStored() throws Exception {
        DocumentContext json = ask(context, "GET", "leases/members", null, 200);
        assertThat(json.<String>read("$.node")).isEqualTo("n1");
        assertThat(json.<String>read("$.cell")).isEqualTo("shop");
        assertThat(json.<Integer>read("$.membership.generation")).isEqualTo(1);
        assertThat(json.<List<String>>read("$.membership.members")).containsExactly("n1", "n2");
        assertThat(json.<String>read("$.store.description")).isEqualTo("file " + file);
        assertThat(json.<Map<String, Object>>read("$.store")).containsOnlyKeys("description", "stored");
        assertThat(json.<Map<String, Object>>read("$.store.stored"))
                .containsEntry("generation", 1)
                .containsEntry("maxLeaseTimeMillis", 2_000)
                .containsEntry("clockDrift", 0.1)
                .doesNotContainKey("previousPeers");
        assertThat(json.<Map<String, String>>read("$.store.stored.peers")).containsOnlyKeys("n1", "n2");
    }

    @Test
    void aChangeIsStoredAndAnotherOneHasToWait() throws Exception {
        isChanged = true;
        DocumentContext json = ask(context, "POST", "leases/members", NEXT, 202);
        assertThat(json.<Integer>read("$.stored.generation")).isEqualTo(2);
        assertThat(json.<Map<String, String>>read("$.stored.peers"))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("n1", "127.0.0.1:7401", "n2", "127.0.0.1:7402", "n4", "[::1]:7404"));
        assertThat(json.<Integer>read("$.stored.maxLeaseTimeMillis")).isEqualTo(2_000);
        assertThat(json.<Double>read("$.stored.clockDrift")).isEqualTo(0.1);
        assertThat(json.<Map<String, String>>read("$.stored.previousPeers")).containsOnlyKeys("n1", "n2");
        assertThat(json.<String>read("$.watch")).contains("membership.sealed is 2");
        assertThat(Files.readString(file)).contains("generation=2", "peers.n4=[::1]:7404", "max-lease-time=2s");

        assertThat(ask(context, "POST", "leases/members", NEXT, 409).<String>read("$.error"))
                .contains("eneration 2");
    }

    @Test
    void whatCannotBeAListIsABadRequest() throws Exception {
        assertThat(refused(400, "{\"peers\": \"\"}")).contains("must be a list such as 'a=10.0.0.1:7400");
        assertThat(refused(400, "{\"peers\": \"n1=a:1,n1=b:1\"}")).contains("each once");
        assertThat(refused(400, "{\"peers\": \"n1=host\"}")).contains("write host:port");
        assertThat(refused(400, "{\"peers\": 7400}")).contains("not '7400'");
        assertThat(refused(400, "{\"peers\": \"n1=a:1,n2=a:1\"}")).contains("is the address of both");
        assertThat(refused(400, "{\"peers\": \"n1=a:1\", \"clockDrift\": 2}")).contains("from 0.0001 to 0.5");
        assertThat(refused(400, "{\"peers\": \"n1=a:1\", \"maxLeaseTime\": \"3s\"}"))
                .contains("does not change while nodes run: configure generation 2 with it");
        ask(context, "POST", "leases/members", "{}", 400);
        ask(context, "POST", "leases/members", "{\"peers\": [\"n1\"]}", 400);
        ask(context, "POST", "leases/members", "{\"peers\": \"n1=a:1\", \"maxLeaseTime\": \"long\"}", 400);
        ask(context, "POST", "leases/members", "nonsense", 400);
        assertThat(Files.readString(file)).isEqualTo(first);
    }

    private String refused(int status, String body) throws Exception {
        return ask(context, "POST", "leases/members", body, status).read("$.error");
    }

    /** A rule of a proxy may protect the path of the members as it is written. */
    @Test
    void aPathThatAServerHasToNormaliseIsRefused() throws Exception {
        for (String other : MembersPaths.OTHERS) {
            String path = "leases" + other;
            assertThat(status("POST", path, NEXT)).as("POST " + path).isIn(400, 404, 405);
            assertThat(status("GET", path, null)).as("GET " + path).isIn(400, 404);
        }
        assertThat(status("POST", "leases/%6dembers", NEXT)).isEqualTo(400);
        assertThat(status("POST", "leases/members;a=b", NEXT)).isEqualTo(400);
        assertThat(status("GET", "leases/%6dembers", null)).isEqualTo(400);
        assertThat(status("GET", "leases/members;a=b", null)).isEqualTo(400);
        assertThat(Files.readString(file)).isEqualTo(first);
    }

    /** As with Jersey on a port of the actuator's own. */
    @Test
    void wherePathsAreNotKnownAsTheyWereSentNoneIsThatOfTheMembers() {
        LeasesEndpointWebExtension endpoint = context.getBean(LeasesEndpointWebExtension.class);
        assertThatThrownBy(() -> endpoint.lease("members")).isInstanceOf(InvalidEndpointRequestException.class);
    }

    /** A setting that is not known would otherwise be left out without a word. */
    @ParameterizedTest
    @ValueSource(strings = {"maxLeasetime", "clock-drift", "generation", "previousPeers", "what", "what\\u000aevil"})
    void anUnknownPropertyIsNamedAndNothingIsChanged(String name) throws Exception {
        String body = NEXT.replace("}", ", \"%s\": 3}".formatted(name));
        assertThat(refused(400, body))
                .contains("'%s'".formatted(name.replace("\\u000a", "\\u000a")))
                .contains("clockDrift, maxLeaseTime, peers");
        assertThat(Files.readString(file)).isEqualTo(first);
    }

    /** The endpoint's arguments are those of the path, the query and the body together. */
    @Test
    void aBodyDoesNotSayWhatThePathIs() throws Exception {
        String body = NEXT.replace("}", ", \"what\": \"members\"}");
        assertThat(status("POST", "leases/others", body)).isEqualTo(400);
        assertThat(status("POST", "leases/others?what=members", NEXT)).isEqualTo(400);
        assertThat(status("POST", "leases/members?what=members", NEXT)).isEqualTo(400);
        assertThat(status("POST", "leases/members", body)).isEqualTo(400);
        assertThat(status("POST", "leases/members?x=1", NEXT)).isEqualTo(400);
        assertThat(Files.readString(file)).isEqualTo(first);
    }

    private int status(String method, String path, @Nullable String body) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://localhost:%s/actuator/%s".formatted(port, path)))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    @Test
    void onlyMembersArePosted() throws Exception {
        ask(context, "POST", "leases/others", NEXT, 404);
        ask(context, "POST", "leases", NEXT, 404);
        ask(context, "GET", "leases/members/n1", null, 404);
        ask(context, "GET", "leases?resource=members", null, 404);
    }

    @Test
    void aStoreThatFailsIsShownAndChangesNothing() throws Exception {
        Files.writeString(file, "nonsense");
        DocumentContext json = ask(context, "GET", "leases/members", null, 200);
        assertThat(json.<String>read("$.store.problem")).contains("Cannot understand the file " + file);
        assertThat(json.<Map<String, Object>>read("$.store")).doesNotContainKey("stored");
        assertThat(refused(503, NEXT)).contains("Cannot understand the file");
        assertThat(Files.readString(file)).isEqualTo("nonsense");
    }

    /** No lease depends on the store, so it changes no status. */
    @Test
    void healthShowsAStoreThatFailsOrHasLostTheMembers() throws IOException {
        assertThat(health().getDetails()).doesNotContainKey("membershipStore");
        Files.writeString(file, "nonsense");
        assertThat(String.valueOf(health().getDetails().get("membershipStore")))
                .contains("Cannot understand the file " + file);
        Health lost = healthOfALostStore();
        restore();
        assertThat(lost.getStatus()).isEqualTo(health().getStatus());
    }

    /** The member writes it back, at any moment. */
    private Health healthOfALostStore() {
        return await().atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .until(
                        () -> {
                            Files.deleteIfExists(file);
                            return health();
                        },
                        health -> String.valueOf(health.getDetails().get("membershipStore"))
                                .contains("The file " + file + " has lost the members"));
    }

    /** A new one each time, as one that has looked a moment ago does not look again. */
    private Health health() {
        return Objects.requireNonNull(
                new PaxosLeaseHealthIndicator(context.getBean(PaxosLease.class).monitor(), HealthStatuses.DEFAULT)
                        .health());
    }

    @Test
    void overJmxItIsTheSame() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = server.queryNames(
                        new ObjectName("org.springframework.boot:type=Endpoint,name=Leases,*"), null)
                .iterator()
                .next();
        Object shown = server.invoke(name, "members", new Object[0], new String[0]);
        assertThat(String.valueOf(shown)).contains("cell=shop", "generation=1");
        String[] types = {"java.lang.String", "java.lang.String", "java.lang.Double"};
        isChanged = true;
        Object stored = server.invoke(
                name,
                "changeMembers",
                new Object[] {"n1=127.0.0.1:7401,n2=127.0.0.1:7402,n4=[::1]:7404", null, null},
                types);
        assertThat(String.valueOf(stored)).contains("generation=2");
        assertThatThrownBy(() -> server.invoke(name, "changeMembers", new Object[] {"n1", null, null}, types))
                .isInstanceOf(JMException.class)
                .hasStackTraceContaining("a=10.0.0.1:7400,b=10.0.0.2:7400");
    }

    @Test
    void withoutAStoreNothingIsChanged() throws Exception {
        try (ConfigurableApplicationContext bare = start("spring.jmx.enabled=false")) {
            assertThat(ask(bare, "POST", "leases/members", NEXT, 501).<String>read("$.error"))
                    .contains("has no store of the members")
                    .contains("give every node a membershipStore");
            assertThat(ask(bare, "GET", "leases/members", null, 200).<Map<String, Object>>read("$"))
                    .containsOnlyKeys("node", "cell", "membership");
        }
    }

    @Test
    void whoMayOnlyReadChangesNothing() throws Exception {
        try (ConfigurableApplicationContext readOnly = start(
                "spring.jmx.enabled=false",
                "management.endpoint.leases.access=read-only",
                "paxoslease.membership-store.file=" + file.resolveSibling("other"))) {
            ask(readOnly, "GET", "leases/members", null, 200);
            ask(readOnly, "POST", "leases/members", NEXT, 405);
            assertThat(Files.readString(file.resolveSibling("other"))).contains("generation=1");
        }
    }

    private DocumentContext ask(
            ConfigurableApplicationContext application, String method, String path, @Nullable String body, int status)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:%s/actuator/%s".formatted(port, path)))
                .header("Content-Type", "application/json");
        request.method(
                method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonPath.parse(response.body().isEmpty() ? "{}" : response.body());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
