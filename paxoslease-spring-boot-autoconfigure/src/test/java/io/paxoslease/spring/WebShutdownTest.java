package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnLeader.Otherwise;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application that is closed while a request runs. */
@Timeout(120)
class WebShutdownTest {

    private ConfigurableApplicationContext run(String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(App.class)
                .properties("spring.main.banner-mode=off", "server.port=0", "paxoslease.standalone=true")
                .properties(properties)
                .run();
        await().until(() -> context.getBean(LeaderElections.class).isLeader("billing"));
        return context;
    }

    /** What the guarded method did; the request calls it only when the web server has stopped to accept connections. */
    private static String outcomeDuringShutdown(ConfigurableApplicationContext context) throws Exception {
        Gate gate = context.getBean(Gate.class);
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:%s/bill".formatted(port)))
                .build();
        HttpClient.newHttpClient().sendAsync(request, BodyHandlers.ofString());
        assertThat(gate.entered.await(20, TimeUnit.SECONDS)).isTrue();
        context.close();
        return gate.outcome.get(20, TimeUnit.SECONDS);
    }

    @Test
    void requestsThatAreAnsweredDuringTheShutdownStillHaveTheirLeadership() throws Exception {
        assertThat(outcomeDuringShutdown(run())).isEqualTo("billed");
    }

    @Test
    void rolesAreGivenUpBeforeTheWebServerWaitsIfThePhaseSaysSo() throws Exception {
        assertThat(outcomeDuringShutdown(run("paxoslease.phase=2147482647"))).isEqualTo("not the leader");
    }

    /** Stops together with the web server's wait for its requests. */
    static final class Gate implements SmartLifecycle {

        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch draining = new CountDownLatch(1);
        final CompletableFuture<String> outcome = new CompletableFuture<>();
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            draining.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {

        @Bean
        Gate gate() {
            return new Gate();
        }

        @Bean
        Billing billing() {
            return new Billing();
        }

        @Bean
        Bills bills(Gate gate, Billing billing) {
            return new Bills(gate, billing);
        }
    }

    static class Billing {

        @OnLeader(role = "billing", otherwise = Otherwise.FAIL)
        public String bill() {
            return "billed";
        }
    }

    @RestController
    static class Bills {

        private final Gate gate;
        private final Billing billing;

        Bills(Gate gate, Billing billing) {
            this.gate = gate;
            this.billing = billing;
        }

        @GetMapping("/bill")
        String bill() throws InterruptedException {
            gate.entered.countDown();
            gate.draining.await();
            try {
                gate.outcome.complete(billing.bill());
            } catch (NotLeaderException e) {
                gate.outcome.complete("not the leader");
            }
            return "";
        }
    }
}
