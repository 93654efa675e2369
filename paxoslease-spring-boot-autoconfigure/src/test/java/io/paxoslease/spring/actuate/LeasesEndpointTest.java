package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Over HTTP, as an operator asks. */
@Tag("slow")
@Tag("jdk")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasesEndpointTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context = start();

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .properties(
                        "server.port=0",
                        "paxoslease.standalone=true",
                        "management.endpoints.web.exposure.include=leases",
                        "management.endpoint.leases.access=unrestricted",
                        "spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @BeforeAll
    void takeLeases() {
        LeaderElections elections = context.getBean(LeaderElections.class);
        await().until(() -> elections.isLeader("billing"));
        context.getBean(PaxosLeaseLockRegistry.class).obtain("a/b").lock();
        context.getBean(PaxosLease.class)
                .acquire("report", AcquireOptions.renewing())
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @Test
    void itShowsTheNode() throws Exception {
        DocumentContext json = get("leases", 200);
        assertThat(json.<Map<String, Object>>read("$.node"))
                .containsEntry("id", "local")
                .containsEntry("cell", "paxoslease")
                .containsEntry("state", "SERVING")
                .containsEntry("clock", Map.of("trusted", true, "disagreements", 0))
                .containsEntry("reachable", 1)
                .containsEntry("majority", 1)
                .containsEntry("leaseTimeMillis", 3_000)
                .containsEntry("maxLeaseTimeMillis", 5_000)
                .doesNotContainKey("quarantine");
        assertThat(json.<String>read("$.node.incarnation")).isNotBlank();
        assertThat(json.<List<?>>read("$.peers")).isEmpty();
    }

    @Test
    void itShowsAPage() throws Exception {
        DocumentContext all = get("leases", 200);
        DocumentContext second = get("leases?offset=1&limit=1", 200);
        assertThat(all.<Map<String, Object>>read("$.page")).isEqualTo(Map.of("offset", 0, "limit", 100, "total", 3));
        assertThat(second.<Map<String, Object>>read("$.page")).isEqualTo(Map.of("offset", 1, "limit", 1, "total", 3));
        assertThat(all.<List<String>>read("$.leases[*].resource"))
                .containsExactly("role:billing", "lock:a/b", "report");
        assertThat(second.<List<String>>read("$.leases[*].resource")).containsExactly("lock:a/b");
        assertThat(get("leases?offset=7", 200).<List<?>>read("$.leases")).isEmpty();
    }

    @Test
    void aPageOutOfBoundsIsABadRequest() throws Exception {
        get("leases?limit=0", 400);
        get("leases?limit=1001", 400);
        get("leases?offset=-1", 400);
        get("leases?limit=many", 400);
    }

    @Test
    void itShowsRolesLocksAndPlainLeases() throws Exception {
        DocumentContext json = get("leases", 200);
        assertThat(json.<List<Map<String, Object>>>read("$.leases[*]"))
                .extracting(
                        lease -> lease.get("resource"),
                        lease -> lease.get("kind"),
                        lease -> lease.get("name"),
                        lease -> lease.get("state"))
                .containsExactlyInAnyOrder(
                        tuple("role:billing", "ROLE", "billing", "HELD"),
                        tuple("lock:a/b", "LOCK", "a/b", "HELD"),
                        tuple("report", "PLAIN", "report", "HELD"));
    }

    @Test
    void itShowsOneLease() throws Exception {
        DocumentContext json = get("leases/role:billing", 200);
        assertThat(json.<String>read("$.resource")).isEqualTo("role:billing");
        assertThat(json.<String>read("$.owner.nodeId")).isEqualTo("local");
        assertThat(json.<Boolean>read("$.owner.certain")).isTrue();
        long token = context.getBean(LeaderElections.class)
                .leadership("billing")
                .orElseThrow()
                .fencingToken();
        assertThat(json.<Long>read("$.fencingToken")).isEqualTo(token);
        assertThat(json.<Long>read("$.ballot")).isGreaterThanOrEqualTo(token);
        assertThat(json.<Integer>read("$.remainingMillis")).isBetween(0, 3_000);
        assertThat(json.<Integer>read("$.renewals")).isNotNegative();
        assertThat(Instant.parse(json.read("$.grantedAt")))
                .isBetween(Instant.now().minusSeconds(300), Instant.now());
        assertThat(json.<Map<String, Object>>read("$")).doesNotContainKey("lastLoss");
        assertThat(json.<Map<String, Object>>read("$.owner")).doesNotContainKey("ageMillis");
    }

    @Test
    void aNameWithSlashesIsFoundToo() throws Exception {
        assertThat(get("leases/lock:a/b", 200).<String>read("$.name")).isEqualTo("a/b");
    }

    @Test
    void anUnknownResourceIsNotFound() throws Exception {
        get("leases/role:unknown", 404);
    }

    @Test
    void aRoleIsYieldedAndALeaseTakenAway() throws Exception {
        try (ConfigurableApplicationContext own = start()) {
            LeaderElections elections = own.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("billing"));
            Lease lease = own.getBean(PaxosLease.class)
                    .acquire("a report", AcquireOptions.renewing())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();

            assertThat(delete(own, "leases/role:billing", 200).<String>read("$.outcome"))
                    .isEqualTo("YIELDED");
            assertThat(elections.isLeader("billing")).isFalse();
            assertThat(delete(own, "leases/a%20report", 200).<String>read("$.outcome"))
                    .isEqualTo("RELEASED");
            assertThat(lease.isHeld()).isFalse();

            DocumentContext lost = answer(request(own, "leases/a%20report").build(), 200);
            assertThat(lost.<String>read("$.state")).isEqualTo("LOST");
            assertThat(lost.<String>read("$.lastLoss.reason")).isEqualTo("REVOKED");
            assertThat(lost.<Long>read("$.lastLoss.fencingToken")).isEqualTo(lease.fencingToken());
            assertThat(delete(own, "leases/a%20report", 404).<String>read("$.outcome"))
                    .isEqualTo("NOT_HELD");
            assertThat(delete(own, "leases/role:unknown", 404).<String>read("$.outcome"))
                    .isEqualTo("NOT_HELD");
        }
    }

    @Test
    void aPathThatCouldMeanAnotherLeaseIsRefused() throws Exception {
        for (String path : List.of(
                "leases/lock:a//b",
                "leases//lock:a/b",
                "leases/lock:a/b;x",
                "leases/lock:a;x/b",
                "leases/role:billing;x=1",
                "leases/lock:a/./b",
                "leases/lock:a/%2e/b")) {
            int status = status(path, "DELETE");
            assertThat(status).as(path).isIn(400, 404); // 404 where the container itself refuses it
            assertThat(status(path, "GET")).as(path).isIn(400, 404);
        }
        assertThat(status("leases/lock:a//b", "DELETE")).isEqualTo(400);
        assertThat(status("leases/role:billing;x=1", "DELETE")).isEqualTo(400);
        assertThat(context.getBean(PaxosLease.class)
                        .monitor()
                        .status("lock:a/b")
                        .orElseThrow()
                        .state())
                .isEqualTo(LeaseStatus.State.HELD);
        assertThat(context.getBean(LeaderElections.class).isLeader("billing")).isTrue();
    }

    @Test
    void anyNameGoesByTheParameter() throws Exception {
        try (ConfigurableApplicationContext own = start()) {
            String name = "odd//name;x/../%41";
            Lease lease = own.getBean(PaxosLease.class)
                    .acquire(name, AcquireOptions.renewing())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            String query = "leases?resource=" + URLEncoder.encode(name, StandardCharsets.UTF_8);

            assertThat(answer(request(own, query).build(), 200).<String>read("$.resource"))
                    .isEqualTo(name);
            assertThat(delete(own, query, 200).<String>read("$.outcome")).isEqualTo("RELEASED");
            assertThat(lease.isHeld()).isFalse();
            delete(own, query, 404);
            answer(request(own, "leases?resource=unknown").build(), 404);
            delete(own, "leases", 400);
            delete(own, "leases?resource=", 400);
            delete(own, "leases?resource=a&resource=b", 400);
        }
    }

    /** The path of that name is that of the members. */
    @Test
    void aLeaseThatIsNamedAsTheMembersIsGivenUpByTheParameterOnly() throws Exception {
        try (ConfigurableApplicationContext own = start()) {
            Lease lease = own.getBean(PaxosLease.class)
                    .acquire("members", AcquireOptions.renewing())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            delete(own, "leases/members", 400);
            assertThat(lease.isHeld()).isTrue();
            delete(own, "leases?resource=members", 200);
            assertThat(lease.isHeld()).isFalse();
        }
    }

    /** A cell of one has nobody to hand over to. */
    @Test
    void aRoleIsNotHandedOverToANodeThatDoesNotWait() throws Exception {
        LeaderElections elections = context.getBean(LeaderElections.class);
        long token = elections.leadership("billing").orElseThrow().fencingToken();
        assertThat(delete(context, "leases/role:billing?to=n3", 409).<String>read("$.error"))
                .isEqualTo(
                        "Lease 'role:billing' is not handed over to node 'n3': it does not wait for the lease. Start its candidacy first, or name a node that waits");
        assertThat(delete(context, "leases?resource=report&to=n3", 409).<String>read("$.error"))
                .startsWith("Lease 'report' is not handed over to node 'n3'");
        assertThat(delete(context, "leases/role:billing?to=local", 400).<String>read("$.error"))
                .contains("cannot hand it over to itself");
        assertThat(delete(context, "leases/role:billing?to=n%203", 400).<String>read("$.error"))
                .isEqualTo("'n 3' is not a node id");
        delete(context, "leases/role:unknown?to=n3", 404);
        assertThat(elections.leadership("billing").orElseThrow().fencingToken()).isEqualTo(token);
    }

    @Test
    void withoutTheDocumentedPropertyNothingIsGivenUp() throws Exception {
        try (ConfigurableApplicationContext own = new SpringApplicationBuilder(App.class)
                .properties(
                        "server.port=0",
                        "paxoslease.standalone=true",
                        "management.endpoints.web.exposure.include=leases",
                        "spring.main.banner-mode=off")
                .run()) {
            delete(own, "leases/role:billing", 405);
            delete(own, "leases?resource=role:billing", 405);
            answer(request(own, "leases").build(), 200);
        }
    }

    @Test
    void readOnlyAccessGivesNothingUp() throws Exception {
        try (ConfigurableApplicationContext own = start("management.endpoint.leases.access=read-only")) {
            delete(own, "leases/role:billing", 405);
            answer(request(own, "leases").build(), 200);
        }
    }

    private int status(String path, String method) throws IOException, InterruptedException {
        HttpRequest request = request(context, path)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private DocumentContext delete(ConfigurableApplicationContext of, String path, int status)
            throws IOException, InterruptedException {
        return answer(request(of, path).DELETE().build(), status);
    }

    private DocumentContext get(String path, int status) throws IOException, InterruptedException {
        return answer(request(context, path).build(), status);
    }

    private DocumentContext answer(HttpRequest request, int status) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonPath.parse(response.body().isEmpty() ? "{}" : response.body());
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext of, String path) {
        String port = of.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:%s/actuator/%s".formatted(port, path)));
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
