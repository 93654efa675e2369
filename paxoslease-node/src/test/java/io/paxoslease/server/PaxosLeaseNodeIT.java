package io.paxoslease.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes of the executable jar, with the heap of the container, and clients in this one. */
class PaxosLeaseNodeIT {

    private static final List<String> MEMBERS = List.of("lease-0", "lease-1", "lease-2");
    private static final int CLIENTS = 50;
    /** No shorter: three processes start while leases are renewed. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Path directory;
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, Integer> httpPorts = new LinkedHashMap<>();
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final List<PaxosLease> clients = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    PaxosLeaseNodeIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeEach
    void start() throws IOException {
        for (String member : MEMBERS) {
            ports.put(member, freePort());
            httpPorts.put(member, freePort());
        }
        StringBuilder configuration =
                new StringBuilder("paxoslease:\n  cell: shop\n  lease-time: 5s\n  max-lease-time: 5s\n  peers:\n");
        ports.forEach((id, port) -> configuration.append("    %s: 127.0.0.1:%d\n".formatted(id, port)));
        Files.writeString(directory.resolve("application.yml"), configuration);
        for (String member : MEMBERS) {
            processes.put(member, launch(member));
        }
    }

    /** As the unit of systemd starts it. */
    private Process launch(String member) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("node.jar"),
                "--spring.config.additional-location=file:" + directory + "/");
        builder.environment().put("PAXOSLEASE_NODE_ID", member);
        builder.environment().put("SERVER_PORT", String.valueOf(httpPorts.get(member)));
        return builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve(member + ".log").toFile())
                .start();
    }

    /** The system may offer a port again that nobody has taken yet. */
    private int freePort() throws IOException {
        int port;
        do {
            try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = probe.getLocalPort();
            }
        } while (ports.containsValue(port) || httpPorts.containsValue(port));
        return port;
    }

    @AfterEach
    void stop() {
        clients.forEach(PaxosLease::stop);
        processes.values().forEach(process -> process.toHandle().destroyForcibly());
    }

    private PaxosLease client(int number) {
        Map<String, String> peers = new LinkedHashMap<>();
        ports.forEach((id, port) -> peers.put(id, "127.0.0.1:" + port));
        PaxosLease client = PaxosLease.create(PaxosLeaseOptions.builder("orders-" + number)
                .mode(NodeMode.CLIENT)
                .application("orders")
                .cell("shop")
                .peers(peers)
                .leaseTime(LEASE)
                .maxLeaseTime(LEASE)
                .build());
        client.start();
        clients.add(client);
        return client;
    }

    private HttpResponse<String> get(String member, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:%d%s".formatted(httpPorts.get(member), path));
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private void await(String member, String path, String expected) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        String last = "nothing";
        while (!last.contains(expected)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("%s of %s does not contain '%s' but %s; its log: %s"
                        .formatted(path, member, expected, last, log(member)));
            }
            TimeUnit.MILLISECONDS.sleep(100); // between two questions
            try {
                last = get(member, path).body();
            } catch (IOException e) {
                last = e.toString();
            }
        }
    }

    private String log(String member) {
        try {
            return Files.readString(directory.resolve(member + ".log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void threeNodesServeClientsAndOutliveOneOfThem() throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            client(i);
        }
        List<Lease> leases = new ArrayList<>();
        for (PaxosLease client : clients) {
            leases.add(client.acquire("lease of " + client.monitor().options().nodeId(), AcquireOptions.renewing())
                    .get(120, TimeUnit.SECONDS));
        }
        for (String member : MEMBERS) {
            await(member, "/actuator/leases", "\"byApplication\":{\"orders\":" + CLIENTS + "}");
            await(member, "/actuator/prometheus", "paxoslease_clients_connected{");
            await(member, "/actuator/health", "\"status\":\"UP\"");
            assertThat(get(member, "/livez").statusCode()).isEqualTo(200);
        }

        Process killed = Objects.requireNonNull(processes.get("lease-0"));
        killed.toHandle().destroyForcibly();
        assertThat(killed.waitFor(20, TimeUnit.SECONDS)).isTrue();
        long before = sent();
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (sent() < before + 4L * CLIENTS) { // each of them renews, several times
            assertThat(System.nanoTime() - end).as("renewals").isNegative();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        assertThat(leases).allMatch(Lease::isHeld);

        processes.put("lease-0", launch("lease-0"));
        await("lease-0", "/actuator/leases", "\"byApplication\":{\"orders\":" + CLIENTS + "}");
        assertThat(leases).allMatch(Lease::isHeld);
        for (String member : MEMBERS) {
            assertThat(log(member)).doesNotContain("ERROR").doesNotContain("OutOfMemory");
        }

        Process stopped = Objects.requireNonNull(processes.get("lease-1"));
        stopped.toHandle().destroy();
        assertThat(stopped.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(stopped.exitValue()).as("ended in good order").isEqualTo(143);
    }

    private long sent() {
        return clients.stream()
                .mapToLong(client ->
                        Objects.requireNonNull(client.monitor().messagesSent().get("extend")))
                .sum();
    }
}
