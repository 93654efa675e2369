package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.RevocationReason;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.LeaseLoss;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node tells people of itself and of leases. */
@Timeout(60)
class InspectionTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private LeaseStatus status(String node, String resource) {
        return cell.node(node).monitor().status(resource).orElseThrow();
    }

    @Test
    void aHolderIsCertainAndSaysHowLongItHasHeld() throws Exception {
        Lease lease = Futures.get(cell.node("a").acquire("x", RENEWING));
        cell.advance(Duration.ofSeconds(10));

        LeaseStatus status = status("a", "x");
        assertThat(status.state()).isEqualTo(LeaseStatus.State.HELD);
        assertThat(status.owner()).isEqualTo("a");
        assertThat(status.hintAge()).isNull();
        assertThat(status.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(Objects.requireNonNull(status.heldFor()).toSeconds()).isEqualTo(10);
        assertThat(status.renewals()).isPositive();
        assertThat(status.lastLoss()).isNull();
    }

    /** The age starts afresh with each renewal that the acceptor grants. */
    @Test
    void aHintHasTheAgeOfTheLastRenewal() throws Exception {
        Futures.get(cell.node("a").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(4))));
        cell.advance(Duration.ofSeconds(3));

        LeaseStatus known = status("b", "x");
        assertThat(known.state()).isEqualTo(LeaseStatus.State.KNOWN);
        assertThat(known.owner()).isEqualTo("a");
        assertThat(known.hintAge()).isBetween(Duration.ofMillis(2_998), Duration.ofMillis(3_002));

        Futures.get(cell.node("a").acquire("y", RENEWING));
        cell.advance(Duration.ofSeconds(20));
        assertThat(status("b", "y").hintAge()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void whoWaitsHasAHintAsWell() throws Exception {
        Futures.get(cell.node("a").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(4))));
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", RENEWING);
        cell.advance(Duration.ofSeconds(1));

        LeaseStatus status = status("b", "x");
        assertThat(status.state()).isEqualTo(LeaseStatus.State.WAITING);
        assertThat(status.owner()).isEqualTo("a");
        assertThat(Objects.requireNonNull(status.hintAge()).toMillis()).isBetween(990L, 1_000L);
        assertThat(status.heldFor()).isNull();
        assertThat(waiting.cancel(false)).isTrue();
    }

    @Test
    void aLeaseThatWasLostIsRemembered() throws Exception {
        Lease lease = Futures.get(cell.node("a").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(2))));
        cell.advance(Duration.ofSeconds(5));

        LeaseStatus status = status("a", "x");
        assertThat(status.state()).isEqualTo(LeaseStatus.State.LOST);
        LeaseLoss loss = Objects.requireNonNull(status.lastLoss());
        assertThat(loss.reason()).isEqualTo(LossReason.EXPIRED);
        assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(loss.ago()).isBetween(Duration.ofMillis(2_900), Duration.ofMillis(3_100));

        Futures.get(cell.node("b").acquire("x", RENEWING));
        assertThat(status("a", "x").state()).isEqualTo(LeaseStatus.State.KNOWN);
        assertThat(status("a", "x").lastLoss()).isNotNull();
    }

    @Test
    void aReleasedLeaseIsNotALostOne() throws Exception {
        Futures.get(cell.node("a").acquire("x", RENEWING)).release();

        assertThat(cell.node("a").monitor().status("x")).isEmpty();
        assertThat(cell.node("a").monitor().resources()).isEmpty();
    }

    @Test
    void theLossesOfAThousandResourcesAreRemembered() throws Exception {
        for (int i = 0; i < 1_200; i++) {
            Futures.get(cell.node("a").acquire("x" + i, AcquireOptions.fixed(Duration.ofMillis(500))));
        }
        cell.advance(Duration.ofSeconds(5));

        List<LeaseStatus> lost =
                cell.node("a").monitor().status(cell.node("a").monitor().resources());
        assertThat(lost).hasSize(1_000).allMatch(each -> each.state() == LeaseStatus.State.LOST);
        assertThat(cell.node("a").monitor().status("x1199")).isPresent();
    }

    @Test
    void allThatIsKnownIsListedInOrder() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            String resource = "r%04d".formatted(i);
            Futures.get(cell.node(i % 2 == 0 ? "a" : "b").acquire(resource, RENEWING));
            expected.add(resource);
        }
        CompletableFuture<Lease> waiting = cell.node("a").acquire("r0001", RENEWING);

        PaxosLease node = cell.node("a");
        assertThat(node.monitor().resources()).isEqualTo(expected);
        assertThat(node.monitor().heldLeases()).isEqualTo(350);
        assertThat(node.monitor().status(expected).stream().map(LeaseStatus::state))
                .containsOnlyOnceElementsOf(List.of(LeaseStatus.State.WAITING))
                .contains(LeaseStatus.State.HELD, LeaseStatus.State.KNOWN)
                .hasSize(700);
        assertThat(node.monitor().status(List.of("r0003", "unknown", "r0002")).stream()
                        .map(LeaseStatus::resource))
                .containsExactly("r0003", "r0002");
        assertThat(waiting.cancel(false)).isTrue();
    }

    @Test
    void aNodeThatIsStoppedSaysSo() {
        PaxosLease node = cell.node("a");
        node.stop();

        NodeStatus status = node.monitor().status();
        assertThat(status.state()).isEqualTo(NodeStatus.State.STOPPED);
        assertThat(status.quarantine()).isNull();
        assertThat(status.reachable()).isZero();
        assertThat(status.clocks().trusted()).isFalse();
        assertThat(node.monitor().resources()).isEmpty();
        assertThat(node.monitor().status(List.of("x"))).isEmpty();
        assertThat(node.monitor().peers()).isEmpty();
        assertThat(node.monitor().heldLeases()).isZero();
    }

    @Test
    void aMajorityIsCounted() {
        NodeStatus whole = cell.node("a").monitor().status();
        assertThat(whole.reachable()).isEqualTo(3);
        assertThat(whole.majority()).isEqualTo(2);
        assertThat(whole.clocks()).isEqualTo(new NodeStatus.Clocks(true, 0));

        cell.disconnect("a");
        assertThat(cell.node("a").monitor().status().hasMajority()).isFalse();
        assertThat(cell.node("b").monitor().status().hasMajority()).isTrue();
        cell.reconnect("a");
        assertThat(cell.node("a").monitor().status().hasMajority()).isTrue();
    }

    @Test
    void aQuarantineSaysWhyAndHowLong() {
        cell.crash("a");
        cell.restart("a");

        NodeStatus.Quarantine quarantine =
                Objects.requireNonNull(cell.node("a").monitor().status().quarantine());
        assertThat(quarantine.reason()).isEqualTo(NodeStatus.Quarantine.Reason.STARTED);
        assertThat(quarantine.remaining()).isBetween(Duration.ofSeconds(6), Duration.ofMillis(6_112));
        cell.advance(Duration.ofSeconds(7));
        assertThat(cell.node("a").monitor().status().quarantine()).isNull();
    }

    @Test
    void messagesAreCountedByType() throws Exception {
        assertThat(cell.node("a").monitor().messagesSent()).containsEntry("prepare", 0L);
        Futures.get(cell.node("a").acquire("x", RENEWING));

        assertThat(cell.node("a").monitor().messagesSent())
                .containsOnlyKeys(
                        "prepare",
                        "propose",
                        "extend",
                        "release",
                        "open",
                        "accepted",
                        "held",
                        "stale",
                        "refused",
                        "extended",
                        "unknownbatch",
                        "released",
                        "inuse",
                        "stillinuse",
                        "askstanding",
                        "standing",
                        "wanted",
                        "raiseregister",
                        "readregister",
                        "knownregisters",
                        "registervalue",
                        "nominate",
                        "releaseto",
                        "nominated",
                        "watch",
                        "unwatch",
                        "changes")
                .containsEntry("propose", 2L)
                .containsEntry("prepare", 0L);
        assertThat(cell.node("a").monitor().messagesReceived()).containsEntry("accepted", 2L);
        assertThat(cell.node("b").monitor().messagesReceived()).containsEntry("propose", 1L);
    }

    @Test
    void linesAboutLeadershipHaveFieldsAndAQuietCellSaysNothing() throws Exception {
        TestCandidate candidate = new TestCandidate();
        LeaderElection election = LeaderElection.builder(cell.node("a"), "x").build(candidate);
        try (LogCapture log = LogCapture.of(LeaderElection.class);
                LogCapture all = LogCapture.ofNode()) {
            election.start();
            long token = candidate.awaitGranted().fencingToken();
            assertThat(log.fields("Node 'a' leads role 'x' (fencing token"))
                    .isEqualTo(Map.of("node", "a", "role", "x", "fencingToken", token));
            int lines = log.lines().size() + all.lines().size();
            cell.advance(Duration.ofMinutes(10));
            assertThat(log.lines().size() + all.lines().size()).isEqualTo(lines);

            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            assertThat(election.stop(Duration.ofSeconds(20))).isTrue();
            assertThat(log.fields("Node 'a' no longer leads role 'x' (LOST: EXPIRED)"))
                    .isEqualTo(Map.of(
                            "node", "a", "role", "x", "fencingToken", token, "reason", RevocationReason.EXPIRED));
            assertThat(all.warnings("lost lease"))
                    .as("the election has said it")
                    .isEmpty();
        }
    }

    /** A lost majority ends every lease at a time. */
    @Test
    void manyLossesAreTwoLinesOfLog() throws Exception {
        for (int i = 0; i < 50; i++) {
            Futures.get(cell.node("a").acquire("x" + i, RENEWING));
        }
        try (LogCapture log = LogCapture.ofNode()) {
            cell.disconnect("a");
            cell.advance(Duration.ofSeconds(10));
            assertThat(log.warnings("lost")).hasSize(2);
            assertThat(log.warnings("Node 'a' lost lease 'x"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .endsWith("EXPIRED");
            assertThat(log.fields("Node 'a' lost lease 'x"))
                    .containsOnlyKeys("node", "resource", "reason", "fencingToken");
            assertThat(log.warnings("Node 'a' lost more leases within a second: EXPIRED, 49 of them, such as [x"))
                    .hasSize(1);
        }
    }
}
