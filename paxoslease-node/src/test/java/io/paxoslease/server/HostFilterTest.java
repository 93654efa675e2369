package io.paxoslease.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A page whose name points to a node's address, by DNS rebinding, does not get at its actuator. */
@Timeout(120)
class HostFilterTest {

    private static ConfigurableApplicationContext start(String... properties) throws IOException {
        return new SpringApplicationBuilder(PaxosLeaseNode.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoint.leases.access=unrestricted",
                        "paxoslease.node-id=lease-a",
                        "paxoslease.peers.lease-a=127.0.0.1:" + freePort())
                .properties(properties)
                .run();
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /** The status of the answer to a request that a browser would send for that host. */
    private static int status(ConfigurableApplicationContext node, String request, String host) throws IOException {
        return status(node, "local.server.port", request, host);
    }

    private static int status(ConfigurableApplicationContext node, String port, String request, String host)
            throws IOException {
        int number = node.getEnvironment().getRequiredProperty(port, Integer.class);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), number)) {
            String text = "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                    .formatted(request, host);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.substring(9, 12));
        }
    }

    @Test
    void aHostThatIsNotTheNodesIsRefused() throws IOException {
        try (ConfigurableApplicationContext node = start()) {
            for (String host : new String[] {
                "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "lease-ab"
            }) {
                assertThat(status(node, "GET /actuator/leases", host)).as(host).isEqualTo(403);
                assertThat(status(node, "GET /actuator/health", host)).as(host).isEqualTo(403);
                assertThat(status(node, "DELETE /actuator/leases/role:x", host))
                        .as(host)
                        .isEqualTo(403);
                assertThat(status(node, "POST /actuator/leases/members", host))
                        .as(host)
                        .isEqualTo(403);
            }
        }
    }

    /** The kubelet asks by the pod's address, a load balancer by the machine's, people by a name that the cell has. */
    @Test
    void probesAndOperatorsAreServed() throws IOException {
        try (ConfigurableApplicationContext node = start("paxoslease-node.allowed-hosts=leases.shop.example, other")) {
            for (String host : new String[] {
                "10.1.2.3:8080",
                "127.0.0.1",
                "[::1]:8080",
                "[fd00::7]",
                "localhost:8080",
                "LEASE-A",
                "leases.shop.example:8080",
                "other",
                InetAddress.getLocalHost().getHostName()
            }) {
                assertThat(status(node, "GET /actuator/leases", host)).as(host).isEqualTo(200);
                assertThat(status(node, "DELETE /actuator/leases/role:x", host))
                        .as(host)
                        .isEqualTo(404);
            }
            assertThat(status(node, "GET /livez", "any.example")).isEqualTo(200);
            assertThat(status(node, "GET /actuator/leases", "evil.example")).isEqualTo(403);
        }
    }

    @Test
    void aPortOfTheActuatorsOwnIsCheckedToo() throws IOException {
        try (ConfigurableApplicationContext node = start("management.server.port=0")) {
            assertThat(status(node, "local.management.port", "GET /actuator/leases", "evil.example"))
                    .isEqualTo(403);
            assertThat(status(node, "local.management.port", "GET /actuator/leases", "127.0.0.1"))
                    .isEqualTo(200);
        }
    }

    @Test
    void theCheckCanBeLeftToAProxy() throws IOException {
        try (ConfigurableApplicationContext node = start("paxoslease-node.allowed-hosts=*")) {
            assertThat(status(node, "GET /actuator/leases", "any.example")).isEqualTo(200);
        }
    }
}
