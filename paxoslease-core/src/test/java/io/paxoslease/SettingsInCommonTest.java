package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which settings must be the same on every node, over TCP: those, and no others. */
class SettingsInCommonTest {

    /** Compared when two nodes meet. Of the peers the ids: addresses may differ between networks. */
    private static final Set<String> COMPARED =
            Set.of("cell", "peers", "maxLeaseTime", "clockDrift", "algorithm", "generation");

    /** Each node's own; TLS fails by itself when it is set up on one side only, and a store is watched by those that use it. */
    private static final Set<String> OF_EACH_NODE = Set.of(
            "nodeId",
            "contactPoints",
            "leaseTime",
            "bindHost",
            "resolver",
            "callbackExecutor",
            "tls",
            "mode",
            "maxClients",
            "maxClientsPerSource",
            "application",
            "membershipStore");

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    @Test
    void itIsDecidedForEachOption() {
        Set<String> options = new TreeSet<>();
        Arrays.stream(PaxosLeaseOptions.class.getDeclaredFields())
                .filter(each -> !Modifier.isStatic(each.getModifiers()))
                .forEach(each -> options.add(each.getName()));
        assertThat(options).containsAll(COMPARED).containsAll(OF_EACH_NODE);
        options.removeAll(COMPARED);
        options.removeAll(OF_EACH_NODE);
        assertThat(options)
                .as("new options: compare them at the hello if they must be equal, and say so in configuration.md")
                .isEmpty();
    }

    @Test
    void nodesThatDifferInEverythingElseFormACell() throws InterruptedException {
        cell.start(cell.options("a")
                .maxClients(7)
                .leaseTime(Duration.ofMillis(300))
                .build());
        cell.start(cell.options("b")
                .callbackExecutor(Runnable::run)
                .bindHost("127.0.0.1")
                .build());
        PaxosLease client = cell.start(cell.options("z")
                .mode(NodeMode.CLIENT)
                .application("orders")
                .leaseTime(Duration.ofMillis(500))
                .build());
        Eventually.until(
                "a and b serve",
                () -> cell.node("a").monitor().status().state() == NodeStatus.State.SERVING
                        && cell.node("b").monitor().status().state() == NodeStatus.State.SERVING);

        assertThat(client.tryAcquire(
                        "r", AcquireOptions.builder().maxWait(Eventually.LIMIT).build()))
                .isPresent();
        assertThat(cell.node("a").monitor().refusedConnections().values()).containsOnly(0L);
        assertThat(cell.node("b").monitor().refusedConnections().values()).containsOnly(0L);
    }

    @Test
    void whatMustBeEqualIsShownSideBySideWhenItDiffers() {
        cell.start("a");
        cell.start(cell.options("b")
                .leaseTime(LEASE)
                .maxLeaseTime(LEASE.multipliedBy(2))
                .clockDrift(0.2)
                .build());
        Eventually.until("b says what differs", () -> cell.node("b").monitor().peers().stream()
                .anyMatch(peer -> String.valueOf(peer.problem())
                        .contains("the maximum lease times differ, PT2S at 'b' but PT1S at 'a'; "
                                + "the clock drift bounds differ, 0.2 at 'b' but 0.1 at 'a'")));
        assertThat(cell.node("b").monitor().status().state()).isNotEqualTo(NodeStatus.State.SERVING);
    }
}
