package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Over HTTP, as an operator asks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasesEndpointTests {

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context = start();

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(App.class)
                .properties(
                        "server.port=0",
                        "paxoslease.standalone=true",
                        "management.endpoints.web.exposure.include=leases",
                        "spring.main.banner-mode=off")
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
        assertThat(json.<String>read("$.node.id")).isEqualTo("local");
        assertThat(json.<String>read("$.node.cell")).isEqualTo("paxoslease");
        assertThat(json.<String>read("$.node.incarnation")).isNotBlank();
        assertThat(json.<String>read("$.node.state")).isEqualTo("SERVING");
        assertThat(json.<Integer>read("$.node.quarantineRemainingMillis")).isZero();
        assertThat(json.<Integer>read("$.node.leaseTimeMillis")).isEqualTo(3_000);
        assertThat(json.<Integer>read("$.node.maxLeaseTimeMillis")).isEqualTo(5_000);
        assertThat(json.<List<?>>read("$.peers")).isEmpty();
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
    }

    @Test
    void aNameWithSlashesIsFoundToo() throws Exception {
        assertThat(get("leases/lock:a/b", 200).<String>read("$.name")).isEqualTo("a/b");
    }

    @Test
    void aResourceThatNobodyKnowsIsNotFound() throws Exception {
        get("leases/role:unknown", 404);
    }

    @Test
    void itOnlyReads() throws Exception {
        HttpRequest delete =
                HttpRequest.newBuilder(uri("leases/role:billing")).DELETE().build();
        assertThat(http.send(delete, HttpResponse.BodyHandlers.discarding()).statusCode())
                .isEqualTo(405);
        assertThat(context.getBean(LeaderElections.class).isLeader("billing")).isTrue();
    }

    private DocumentContext get(String path, int status) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonPath.parse(response.body().isEmpty() ? "{}" : response.body());
    }

    private URI uri(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return URI.create("http://localhost:%s/actuator/%s".formatted(port, path));
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
