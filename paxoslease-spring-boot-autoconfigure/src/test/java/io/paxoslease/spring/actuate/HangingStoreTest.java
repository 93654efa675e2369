package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The members are changed in a store that hangs, by as many requests as the web server has threads. */
@Tag("slow")
@Timeout(90)
class HangingStoreTest {

    private static final int THREADS = 4;
    private static final String NEXT = "{\"peers\": \"n1=127.0.0.1:7401,n2=127.0.0.1:7402,n3=127.0.0.1:7403\"}";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Store store = new Store();

    /** It takes the members that the node starts with; from then on a change waits until the test lets it go. */
    private static final class Store implements MembershipStore {

        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        private @Nullable Membership stored;

        @Override
        public synchronized @Nullable Membership read() {
            return stored;
        }

        @Override
        public boolean replace(@Nullable Membership expected, Membership next) throws IOException {
            if (expected != null) {
                asked.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException("interrupted");
                }
            }
            synchronized (this) {
                stored = next;
            }
            return true;
        }

        @Override
        public String describe() {
            return "store that hangs";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    @Test
    void probesAndHealthAreAnsweredMeanwhile() throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(App.class)
                .initializers(application -> application.getBeanFactory().registerSingleton("store", store))
                .properties(new TestCell(2).propertiesOf("n1"))
                .properties(
                        "server.port=0",
                        "server.tomcat.threads.max=" + THREADS,
                        "management.endpoints.web.exposure.include=leases,health",
                        "management.endpoint.leases.access=unrestricted",
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.health.probes.add-additional-paths=true",
                        "spring.main.banner-mode=off")
                .run()) {
            URI node =
                    URI.create("http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port"));
            List<CompletableFuture<Integer>> changes = IntStream.range(0, THREADS)
                    .mapToObj(i -> http.sendAsync(
                                    request(node, "/actuator/leases/members")
                                            .POST(HttpRequest.BodyPublishers.ofString(NEXT))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .thenApply(HttpResponse::statusCode))
                    .toList();
            assertThat(store.asked.await(30, TimeUnit.SECONDS)).isTrue();

            assertThat(status(node, "/livez")).isEqualTo(200);
            await().until(() -> status(node, "/actuator/health") == 200); // when its quarantine has ended
            assertThat(status(node, "/actuator/leases/members")).isEqualTo(200);
            assertThat(changes.stream().map(CompletableFuture::join))
                    .as("the store still hangs")
                    .containsExactlyInAnyOrder(503, 409, 409, 409);
            assertThat(status(node, "/livez")).isEqualTo(200);
            store.released.countDown();
        } finally {
            store.released.countDown();
        }
    }

    private static HttpRequest.Builder request(URI node, String path) {
        return HttpRequest.newBuilder(node.resolve(path))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(20));
    }

    private int status(URI node, String path) throws Exception {
        return http.send(request(node, path).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
