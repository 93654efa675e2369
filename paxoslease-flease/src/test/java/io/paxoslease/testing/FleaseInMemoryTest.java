package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.Nomination;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.shards.ShardGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything that is built on leases, over Flease. */
@Timeout(60) // a test hangs if it does not move the clock
class FleaseInMemoryTest {

    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();
    private static final Duration LEASE = PaxosLeaseOptions.DEFAULT_LEASE_TIME;
    private static final Duration BOUND = FleaseOptions.DEFAULT_CLOCK_BOUND;

    private final InMemoryCell cell = InMemoryCell.of(FleaseOptions.builder().build(), "a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private Optional<Lease> ask(String node) throws InterruptedException {
        return cell.node(node).tryAcquire("x", ASK_ONCE);
    }

    @Test
    void everyNodeServesAtOnceAndKnowsTheOthersClocks() {
        for (String id : List.of("a", "b", "c")) {
            NodeStatus status = cell.node(id).monitor().status();
            assertThat(cell.node(id).monitor().options().algorithm())
                    .isEqualTo(FleaseOptions.builder().build());
            assertThat(status.state()).isEqualTo(NodeStatus.State.SERVING);
            assertThat(status.peers())
                    .hasSize(2)
                    .allMatch(PeerStatus::connected)
                    .extracting(PeerStatus::clockOffset)
                    .containsOnly(Duration.ZERO);
        }
    }

    @Test
    void twoNodesNeverHoldOneLease() throws InterruptedException {
        Lease lease = ask("a").orElseThrow();

        assertThat(lease.isHeld()).isTrue();
        assertThat(ask("b")).isEmpty();
        assertThat(ask("c")).isEmpty();
    }

    @Test
    void aReleasedLeaseIsFreeForWhoAsksNext() throws InterruptedException {
        long last = 0;
        for (int i = 0; i < 30; i++) {
            for (String id : List.of("a", "b", "c")) {
                Lease lease = ask(id).orElseThrow();
                assertThat(lease.fencingToken()).isGreaterThan(last);
                last = lease.fencingToken();
                lease.release();
            }
        }
    }

    @Test
    void aReleasedLeaseGoesToWhoWaitsAtOnce() throws Exception {
        Lease lease = ask("a").orElseThrow();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        assertThat(waiting).isNotDone();
        lease.release();

        assertThat(Futures.get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void aLeaseIsHeldForAnHour() throws InterruptedException {
        Lease lease = ask("a").orElseThrow();
        cell.advance(Duration.ofHours(1));

        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("a").monitor().status("x").orElseThrow().renewals())
                .isGreaterThan(3_000);
    }

    @Test
    void everyNodeTellsTheHolderForCertain() throws InterruptedException {
        assertThat(ask("a")).isPresent();
        for (String id : List.of("a", "b", "c")) {
            LeaseStatus status = cell.node(id).monitor().status("x").orElseThrow();
            assertThat(status.owner()).isEqualTo("a");
            assertThat(status.certain()).isTrue();
            assertThat(status.hintAge()).isNull();
            assertThat(status.remaining()).isBetween(LEASE.dividedBy(2), LEASE);
        }
        cell.disconnect("c");
        cell.advance(Duration.ofMillis(1_500));
        assertThat(cell.node("b").monitor().status("x").orElseThrow().certain()).isTrue();
    }

    @Test
    void whoIsCutOffLosesTheLeaseAndTheOthersTakeItOverAfterTheBound() throws Exception {
        Lease lease = ask("a").orElseThrow();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.disconnect("a");
        cell.advance(LEASE);
        assertThat(lease.isHeld()).isFalse();
        cell.advance(BOUND);
        assertThat(Futures.get(waiting).isHeld()).isTrue();
    }

    @Test
    void aCrashedHoldersLeaseIsTakenOverAndItsNodeIsSilentAfterItsRestart() throws Exception {
        assertThat(ask("a")).isPresent();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.crash("a");
        cell.restart("a");
        assertThat(cell.node("a").monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
        assertThat(ask("a")).isEmpty();
        cell.advance(LEASE.plus(BOUND));

        assertThat(Futures.get(waiting).isHeld()).isTrue();
        cell.advance(Duration.ofSeconds(5));
        assertThat(cell.node("a").monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
        assertThat(ask("a")).isEmpty();
    }

    @Test
    void aNodeThatStopsHandsItsLeaseOver() throws Exception {
        assertThat(ask("a")).isPresent();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(10));

        assertThat(Futures.get(waiting).isHeld()).isTrue();
    }

    @Test
    void aKeptLockGoesToTheNodeThatAsks() throws InterruptedException {
        LeaseLock here = new LeaseLocks(cell.node("a"), LockOptions.defaults()).get("order");
        LeaseLock there = new LeaseLocks(cell.node("b"), LockOptions.defaults()).get("order");
        assertThat(here.tryLock()).isTrue();
        here.unlock();
        assertThat(cell.node("a").monitor().heldLeases()).isEqualTo(1);

        assertThat(there.tryLock()).isTrue();
        assertThat(cell.node("a").monitor().heldLeases()).isZero();
        cell.advance(Duration.ofMillis(5)); // who has just given it up comes after who wanted it
        assertThat(here.tryLock()).isFalse();
        there.unlock();
        assertThat(here.tryLock()).isTrue();
        here.unlock();
    }

    @Test
    void leadershipPassesOnWhenTheLeaderIsGone() throws Exception {
        TestCandidate first = new TestCandidate();
        TestCandidate second = new TestCandidate();
        try (LeaderElection one = LeaderElection.builder(cell.node("a"), "x").build(first);
                LeaderElection two = LeaderElection.builder(cell.node("b"), "x").build(second)) {
            one.start();
            first.awaitGranted();
            two.start();
            assertThat(one.isLeader()).isTrue();
            cell.crash("a");
            cell.advance(LEASE.plus(BOUND).plusMillis(10));

            second.awaitGranted();
            assertThat(two.isLeader()).isTrue();
        }
    }

    @Test
    void requestsCanBeDenied() throws InterruptedException {
        Lease lease = ask("a").orElseThrow();
        cell.denyAcquiring("a", "x"::equals);
        cell.advance(Duration.ofSeconds(10));
        assertThat(lease.isHeld()).isTrue();
        lease.release();
        CompletableFuture<Lease> again = cell.node("a").acquire("x", AcquireOptions.renewing());
        cell.advance(Duration.ofSeconds(10));
        assertThat(again).isNotDone();
        cell.allowRequests("a");
        cell.advance(Duration.ofMillis(2));
        assertThat(again).isCompleted();
        cell.denyRequests("a", "x"::equals);
        cell.advance(LEASE);
        assertThat(again.join().isHeld()).isFalse();
    }

    @Test
    void aCellOfOneNeedsNobody() throws InterruptedException {
        try (InMemoryCell alone = InMemoryCell.of(FleaseOptions.builder().build(), "a")) {
            assertThat(alone.node("a").tryAcquire("x", ASK_ONCE)).isPresent();
        }
    }

    @Test
    void leasesHaveNoNotes() throws InterruptedException {
        AcquireOptions noted = ASK_ONCE.toBuilder().note("x").build();
        try (InMemoryCell alone = InMemoryCell.of(FleaseOptions.builder().build(), "a")) {
            assertThatThrownBy(() -> alone.node("a").tryAcquire("x", noted))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'flease', which this node runs, has no notes on leases: leave the note out");
            Lease lease = alone.node("a").tryAcquire("x", ASK_ONCE).orElseThrow();
            lease.note("");
            assertThatThrownBy(() -> lease.note("x")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void watchesNominationsAndShardsAreRefused() throws InterruptedException {
        try (InMemoryCell alone = InMemoryCell.of(FleaseOptions.builder().build(), "a")) {
            PaxosLease node = alone.node("a");
            assertThatThrownBy(() -> node.watch("role:", changes -> {}))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'flease'");
            assertThatThrownBy(() -> ShardGroup.builder(node, "invoices", 4).build())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("node 'a' runs 'flease'");
            Lease lease = node.tryAcquire("x", ASK_ONCE).orElseThrow();
            assertThat(lease.nominate("b"))
                    .succeedsWithin(Duration.ofSeconds(10))
                    .isEqualTo(Nomination.UNSUPPORTED);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void membersRememberRegistersToo() {
        cell.node("a").registers().raise("slot", 5).join();
        cell.crash("a");
        assertThat(cell.node("b").registers().read("slot").join()).hasValue(5);
        assertThat(cell.node("b").monitor().messagesSent()).containsEntry("readregister", 2L);
    }

    @Test
    void suchCellsHaveNoClients() {
        assertThatThrownBy(() -> cell.addClient("x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'flease'");
    }
}
