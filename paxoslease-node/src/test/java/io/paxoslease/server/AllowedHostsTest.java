package io.paxoslease.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AllowedHostsTest {

    private static String address(String host) throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return host + ":" + probe.getLocalPort();
        }
    }

    private static PaxosLease start(PaxosLeaseOptions.Builder options) {
        PaxosLease node =
                PaxosLease.create(options.cell("shop").maxClients(1).build()); // else a cell of one does not listen
        node.start();
        return node;
    }

    /** It says that it is a member after a change that it has made up, on a host whose name is that of a page. */
    @Test
    void aStrangerAddsNoHost() throws IOException {
        Map<String, String> before = Map.of("a", address("127.0.0.1"));
        Map<String, String> after = new HashMap<>(before);
        after.put("x", address("evil.example"));
        try (PaxosLease member = start(PaxosLeaseOptions.builder("a").peers(before));
                PaxosLease stranger = start(PaxosLeaseOptions.builder("x")
                        .bindHost("127.0.0.1")
                        .peers(after)
                        .generation(2)
                        .previousPeers(before))) {
            await().atMost(Duration.ofSeconds(30)).until(() -> member.monitor().peers().stream()
                    .anyMatch(peer -> peer.address().startsWith("evil.example:")));
            assertThat(stranger.monitor().isRunning()).isTrue();
            assertThat(new AllowedHosts(() -> member, List.of()).contains("evil.example:8080"))
                    .isFalse();
            assertThat(new AllowedHosts(() -> stranger, List.of()).contains("evil.example:8080"))
                    .as("its own configuration")
                    .isTrue();
        }
    }
}
