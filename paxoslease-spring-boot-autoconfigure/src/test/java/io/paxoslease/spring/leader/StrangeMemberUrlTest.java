package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.autoconfigure.TestCell;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that introduces itself as a member of a next generation, which it has made up. */
@Timeout(60)
class StrangeMemberUrlTest {

    private final Map<String, String> before = new TestCell(1).peers();
    private final Map<String, String> after = new LinkedHashMap<>(before);

    StrangeMemberUrlTest() {
        after.put("x", Objects.requireNonNull(new TestCell(1).peers().get("n1")).replace("127.0.0.1", "localhost"));
    }

    private static PaxosLeaseOptions.Builder options(String id, Map<String, String> peers) {
        Duration time = Duration.ofSeconds(2);
        return PaxosLeaseOptions.builder(id)
                .cell("shop")
                .peers(peers)
                .maxClients(1) // else a cell of one does not listen
                .maxLeaseTime(time)
                .leaseTime(time);
    }

    private PaxosLease start(PaxosLeaseOptions.Builder options) {
        PaxosLease node = PaxosLease.create(options.build());
        node.start();
        return node;
    }

    private PaxosLease startNext(String id) {
        return start(options(id, after).generation(2).previousPeers(before));
    }

    private static NodeUrls urls(String template, PaxosLease node) {
        return new NodeUrls(new ElectionSettings.Urls(template, Map.of(), true, List.of(), null), () -> node);
    }

    private static void awaitPeer(PaxosLease node, String id) {
        await().atMost(Duration.ofSeconds(30)).until(() -> node.monitor().peers().stream()
                .anyMatch(peer -> peer.nodeId().equals(id) && peer.connected()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://{host}:8080", "http://{node-id}.shop:8080"})
    void itHasNoUrl(String template) {
        try (PaxosLease member = start(options("n1", before));
                PaxosLease stranger = startNext("x")) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> member.monitor().status().state() == NodeStatus.State.SERVING);
            awaitPeer(member, "x");
            assertThat(stranger.monitor().isRunning()).isTrue();
            assertThat(urls(template, member).find("x", Optional::empty)).isEmpty();
            assertThat(urls(template, member).find("n1", Optional::empty)).isPresent();
        }
    }

    @Test
    void aMemberThatIsConfiguredHereHasOneBeforeTheSeal() {
        try (PaxosLease member = startNext("n1");
                PaxosLease other = startNext("x")) {
            awaitPeer(member, "x");
            assertThat(other.monitor().isRunning()).isTrue();
            assertThat(urls("http://{host}:8080", member).find("x", Optional::empty))
                    .contains(URI.create("http://localhost:8080"));
        }
    }
}
