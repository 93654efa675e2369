package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCell;
import io.paxoslease.testing.Timings;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Why a node cannot start, what it says then, and that it starts once that is put right. */
class NodeStartTest {

    private final int port = FreePorts.next();

    @Test
    void aPortInUseIsNamedTogetherWithAWayOut() throws IOException {
        PaxosLease node = node("127.0.0.1", null);
        try (ServerSocket other = RawConnection.listen(port)) {
            NodeStartException e = startFailure(node);

            assertThat(e.action())
                    .isEqualTo(
                            "Stop the process that uses it, or give node 'a' another port in the peers of every node.");
            assertThat(e)
                    .hasMessage("Port %d of 127.0.0.1, where node 'a' listens, is already in use. %s", port, e.action())
                    .hasCauseInstanceOf(IOException.class);
            assertThat(other.isBound()).isTrue();
            assertThat(node.monitor().isRunning()).isFalse();
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.STOPPED);
        }
        node.start();
        assertThat(node.monitor().isRunning()).isTrue();
        node.stop();
    }

    @Test
    void theOwnHostMustResolve() {
        NodeStartException e = startFailure(node("nowhere.invalid", null));

        assertThat(e.action())
                .isEqualTo("Correct its address in the peers, or set the bind host to an address of this machine, "
                        + "for instance 0.0.0.0.");
        assertThat(e)
                .hasMessage("The host 'nowhere.invalid' that node 'a' listens on does not resolve. " + e.action())
                .hasCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void theBindHostMustResolve() {
        assertThat(startFailure(node("127.0.0.1", "nowhere.invalid")))
                .hasMessageStartingWith("The host 'nowhere.invalid' that node 'a' listens on does not resolve.");
    }

    @Test
    void theAddressMustBeOneOfThisMachine() {
        NodeStartException e = startFailure(node("192.0.2.1", null));

        assertThat(e.action())
                .isEqualTo("Set the bind host to an address of this machine, for instance 0.0.0.0, "
                        + "or choose another port.");
        assertThat(e).hasMessageStartingWith("Node 'a' cannot listen on 192.0.2.1 port " + port + ": ");
    }

    @Test
    void aBindHostReplacesAnAddressThatIsKnownOnlyToOthers() {
        PaxosLease node = node("nowhere.invalid", "127.0.0.1");
        node.start();
        assertThat(node.monitor().isRunning()).isTrue();
        node.stop();
    }

    /** While this process booted, the last one of the node may have served. */
    @Test
    void theQuarantineCountsFromTheMomentThatThePortIsBound() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a")
                .cell("lives-" + port)
                .peer("a", "127.0.0.1:" + port)
                .peer("b", "127.0.0.1:" + FreePorts.next())
                .maxLeaseTime(Duration.ofMinutes(1))
                .build();
        NodeEnvironment environment = StartedNodes.environment(options);
        Reading booted =
                environment.clock().read().plusNanos(-Duration.ofHours(1).toNanos());
        LeaseAlgorithm node = environment.newNode(Timings.of(options), booted);
        Reading before = environment.clock().read();
        environment.open(new DeafReceiver());
        Reading after = environment.clock().read();
        long quarantine = Timings.of(options).quarantineNanos();

        assertThat(node.view(before).quarantineRemainingNanos()).isGreaterThanOrEqualTo(quarantine);
        assertThat(node.view(after).quarantineRemainingNanos()).isLessThanOrEqualTo(quarantine);
        environment.close();
    }

    @Test
    void aNodeThatFailedToStartLeavesNoThreadBehind() throws IOException {
        try (ServerSocket other = RawConnection.listen(port)) {
            assertThat(other.isBound()).isTrue();
            for (int i = 0; i < 5; i++) {
                startFailure(node("127.0.0.1", null));
            }
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("paxoslease-a-") && name.contains("lookup"));
    }

    @Test
    void theStartSaysWhoTheNodeIsAndHowLongItIsSilent() {
        try (LogCapture log = LogCapture.ofNode();
                TestCell cell = TestCell.of(Duration.ofHours(24), "a", "b", "c")) {
            PaxosLease node = cell.start("a");

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .matches("INFO PaxosLease node 'a' of cell '%s' started: ".formatted(cell.name())
                            + "members \\[a, b, c], lease time PT24H, quarantined for another \\d{9} ms");
            assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
            assertThat(node.monitor().status().quarantineRemaining())
                    .isGreaterThan(Duration.ofHours(24))
                    .isLessThan(Duration.ofHours(30));
        }
    }

    @Test
    void startingTwiceIsStartingOnce() {
        PaxosLease node = node("127.0.0.1", null);
        node.start();
        node.start();
        assertThat(node.monitor().isRunning()).isTrue();
        node.stop();
        node.stop();
        assertThat(node.monitor().isRunning()).isFalse();
    }

    private PaxosLease node(String host, @Nullable String bindHost) {
        return PaxosLease.create(PaxosLeaseOptions.builder("a")
                .cell("start-" + port)
                .peer("a", host + ":" + port)
                .peer("b", "127.0.0.1:" + FreePorts.next())
                .peer("c", "127.0.0.1:" + FreePorts.next())
                .bindHost(bindHost)
                .build());
    }

    private static NodeStartException startFailure(PaxosLease node) {
        return catchThrowableOfType(NodeStartException.class, node::start);
    }
}
