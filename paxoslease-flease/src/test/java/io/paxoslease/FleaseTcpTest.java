package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three nodes that run Flease, over loopback TCP. */
@Tag("slow")
@Tag("jdk")
class FleaseTcpTest {

    private static final FleaseOptions FLEASE =
            FleaseOptions.builder().clockBound(Duration.ofMillis(200)).build();

    private final TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c");

    @BeforeEach
    void start() {
        List.of("a", "b", "c")
                .forEach(id -> cell.start(cell.options(id).algorithm(FLEASE).build()));
        cell.awaitServing();
    }

    @AfterEach
    void stop() {
        cell.close();
    }

    @Test
    void oneHoldsRenewsAndHandsOverAndEverybodyKnowsWho() throws InterruptedException {
        Lease lease = Futures.get(cell.node("a").acquire("x", AcquireOptions.renewing()));
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        Eventually.until(
                "renewed",
                () -> cell.node("a").monitor().status("x").orElseThrow().renewals() >= 2);
        assertThat(lease.isHeld()).isTrue();
        assertThat(waiting).isNotDone();
        LeaseStatus known = cell.node("c").monitor().status("x").orElseThrow();
        assertThat(known.owner()).isEqualTo("a");
        assertThat(known.certain()).isTrue();
        assertThat(cell.node("a").monitor().messagesSent()).containsKeys("read", "write", "compare");

        lease.release();
        Lease next = Futures.get(waiting);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        cell.node("b").stop();
        assertThat(Futures.get(cell.node("c").acquire("x", AcquireOptions.renewing()))
                        .fencingToken())
                .isGreaterThan(next.fencingToken());
    }

    @Test
    void theClocksOfOneMachineAreWithinTheBound() {
        Eventually.until("both clocks were compared", () -> cell.node("a").monitor().peers().stream()
                .allMatch(peer -> peer.clockOffset() != null));
        for (PeerStatus peer : cell.node("a").monitor().peers()) {
            Duration offset = peer.clockOffset();
            Duration uncertainty = peer.clockUncertainty();
            assertThat(offset).isNotNull();
            assertThat(uncertainty).isNotNull().isLessThan(FLEASE.clockBound().dividedBy(2));
            assertThat(offset == null ? Duration.ZERO : offset.abs()).isLessThanOrEqualTo(uncertainty);
        }
    }

    /** Section 9 of docs/protocol.md: those that serve go on, and the one that starts beside them with another list is silent. */
    @Test
    void aNodeThatStartsWithAnotherListIsSilentBesideTheOthers() throws InterruptedException {
        Lease lease = Futures.get(cell.node("a").acquire("x", AcquireOptions.renewing()));
        cell.node("c").stop();
        PaxosLease c = cell.start(cell.options("c")
                .peer("d", "127.0.0.1:" + FreePorts.next())
                .algorithm(FLEASE)
                .build());
        Eventually.until("c has met the others", () -> c.monitor().status().otherConfiguration() != null);
        Eventually.until("a has met c", () -> cell.node("a").monitor().status().otherConfiguration() != null);

        assertThat(c.monitor().status().otherConfiguration())
                .startsWith("node 'c' is silent beside another configuration");
        assertThat(cell.node("a").monitor().status().otherConfiguration()).startsWith("node 'a' serves on");
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aNodeThatRunsPaxosLeaseIsRefused() {
        cell.node("c").stop();
        cell.start("c");
        Eventually.until("c is refused", () -> cell.node("a").monitor().peers().stream()
                .anyMatch(peer -> peer.nodeId().equals("c")
                        && peer.problem() != null
                        && peer.problem().contains("algorithms differ")));
        assertThat(cell.node("a").monitor().status().hasMajority()).isTrue();
    }

    @Test
    void aClientHearsThatSuchACellHasNone() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder()
                .mode(NodeMode.CLIENT)
                .cell(cell.name())
                .contactPoint(Objects.requireNonNull(cell.addresses().get("a")))
                .build();
        try (PaxosLease client = PaxosLease.create(options)) {
            client.start();
            Eventually.until("it knows why", () -> client.monitor().peers().stream()
                    .anyMatch(peer -> String.valueOf(peer.problem())
                            .contains("the cell runs the algorithm 'flease', which has members only")));
        }
    }
}
