package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.shards.OnShard;
import io.paxoslease.spring.shards.ShardGroups;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint over HTTP, and the meters. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShardsEndpointTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context = new SpringApplicationBuilder(App.class)
            .properties(
                    "server.port=0",
                    "paxoslease.standalone=true",
                    "paxoslease.shards.invoices.count=3",
                    "paxoslease.shards.invoices.max-owned=2",
                    "paxoslease.shards.invoices.revision=7",
                    "paxoslease.shards.orders.count=4",
                    "management.endpoints.web.exposure.include=shards",
                    "spring.main.banner-mode=off")
            .run();

    @BeforeAll
    void awaitGrants() {
        ShardGroups groups = context.getBean(ShardGroups.class);
        await().until(() -> groups.get("invoices").owned().size() == 2
                && groups.get("orders").owned().size() == 4);
        await().until(() -> groups.get("invoices").status().participants().size() == 1);
        await().until(() -> groups.counts("invoices").failed() == 2);
    }

    @AfterAll
    void close() {
        context.close();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:%s/actuator/shards%s"
                .formatted(context.getEnvironment().getProperty("local.server.port"), path));
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void allGroupsAreShownWithoutTheirShards() throws Exception {
        DocumentContext json = JsonPath.parse(get("").body());
        assertThat(json.<String>read("$.node")).isEqualTo("local");
        assertThat(json.<Integer>read("$.groups.orders.owned")).isEqualTo(4);
        assertThat(json.<Integer>read("$.groups.invoices.count")).isEqualTo(3);
        assertThat(json.<Integer>read("$.groups.invoices.free")).isEqualTo(1);
        assertThat(json.<String>read("$.groups.invoices.state")).isEqualTo("ACTIVE");
        assertThat(json.<Boolean>read("$.groups.invoices.current")).isTrue();
        assertThat(json.<String>read("$.groups.invoices.revision")).isEqualTo("7");
        assertThat(json.<Integer>read("$.groups.invoices.counts.granted")).isEqualTo(2);
        assertThat(json.<Integer>read("$.groups.invoices.counts.failed")).isPositive();
        assertThat(json.<String>read("$.groups.invoices.participants.local.state"))
                .isEqualTo("ACTIVE");
        assertThat(json.<Integer>read("$.groups.invoices.participants.local.maxOwned"))
                .isEqualTo(2);
        assertThat(json.<Map<String, Object>>read("$.groups.invoices")).doesNotContainKey("shards");
    }

    @Test
    void oneGroupIsShownWithEachShard() throws Exception {
        DocumentContext json = JsonPath.parse(get("/invoices").body());
        ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
        int owned = invoices.ownedIndexes().get(0);
        String shard = "$.shards[%d].".formatted(owned);
        assertThat(json.<Integer>read(shard + "index")).isEqualTo(owned);
        assertThat(json.<String>read(shard + "owner")).isEqualTo("local");
        assertThat(json.<String>read(shard + "reason")).isEqualTo("is where it should be");
        assertThat(json.<Number>read(shard + "fencingToken").longValue())
                .isEqualTo(invoices.shard(owned).orElseThrow().fencingToken());
        String free = "$.shards[?(!@.owner)].";
        assertThat(json.<List<String>>read(free + "reason"))
                .containsExactly("all active instances own max-owned shards");
    }

    @Test
    void anUnknownGroupIsNotFound() throws Exception {
        assertThat(get("/others").statusCode()).isEqualTo(404);
    }

    @Test
    void theMetersSayTheSame() {
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        assertThat(value(registry, "owned")).isEqualTo(2);
        assertThat(value(registry, "free")).isEqualTo(1);
        assertThat(value(registry, "granted")).isEqualTo(2);
        assertThat(value(registry, "failed")).isPositive();
        double unowned = value(registry, "unowned.seconds");
        assertThat(unowned).isPositive();
        await("the time goes by while nothing changes")
                .until(() -> value(registry, "unowned.seconds") > unowned + 0.05);
        for (String name : new String[] {"released", "lost", "overrun"}) {
            assertThat(value(registry, name)).as(name).isZero();
        }
    }

    private static double value(MeterRegistry registry, String name) {
        return registry.get("paxoslease.shards." + name)
                .tags("group", "invoices", "node", "local")
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Failing failing() {
            return new Failing();
        }

        @Bean
        SimpleMeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    static class Failing {
        @OnShard(value = "invoices", fixedDelay = "1h")
        void poll(Shard shard) {
            throw new IllegalStateException("no database");
        }
    }
}
