package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A pod of a cell whose other pods are never there: it cannot lead, and is alive, and ready as soon as its quarantine has ended. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "paxoslease.node-id=app-0",
            "paxoslease.bind-host=127.0.0.1",
            "paxoslease.peers.app-1=app-1.app.default.svc.invalid:7400",
            "paxoslease.peers.app-2=app-2.app.default.svc.invalid:7400"
        })
class KubernetesApplicationTest {

    @DynamicPropertySource
    static void ownAddress(DynamicPropertyRegistry registry) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = free.getLocalPort();
            registry.add("paxoslease.peers.app-0", () -> "app-0.app.default.svc.invalid:" + port);
        }
    }

    @LocalServerPort
    private int port;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void aPodWithoutItsPeersIsAliveAndReady() throws Exception {
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> get("/readyz").statusCode() == 200);
        assertThat(get("/actuator/leases").body()).contains("\"app-0\"").contains("\"connected\":false");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
