package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients of a cell of three, over TCP. */
@Tag("slow")
class ClientCellTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private final TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    private void startMembers() {
        cell.start("a");
        cell.start("b");
        cell.start("c");
    }

    private PaxosLease client(String id) {
        return cell.start(
                cell.options(id).mode(NodeMode.CLIENT).application("orders").build());
    }

    private static long sent(PaxosLease node) {
        return node.monitor().messagesSent().getOrDefault("extend", 0L);
    }

    private static long refused(PaxosLease node) {
        return node.monitor().messagesReceived().getOrDefault("held", 0L);
    }

    @Test
    void aClientLeasesRenewsAndReleases() throws InterruptedException {
        startMembers();
        PaxosLease client = client("z");
        cell.awaitServing();
        Lease lease = client.tryAcquire("r", RENEWING).orElseThrow();
        long before = sent(client);
        Eventually.until("it is renewed", () -> sent(client) > before + 3);

        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("a").tryAcquire("r", ONCE)).isEmpty();
        lease.release();
        assertThat(cell.node("a").tryAcquire("r", RENEWING).orElseThrow().fencingToken())
                .isGreaterThan(lease.fencingToken());
    }

    @Test
    void whoHoldsIsSeenAtTheMembersAndTheClientsAreCounted() throws InterruptedException {
        startMembers();
        PaxosLease client = client("z");
        cell.awaitServing();
        assertThat(client.tryAcquire("r", RENEWING)).isPresent();
        NodeStatus member = cell.node("a").monitor().status();
        NodeStatus own = client.monitor().status();

        assertThat(cell.node("a").monitor().status("r").orElseThrow().owner()).isEqualTo("z");
        Eventually.until(
                "it is counted", () -> new ClientCounts(1, PaxosLeaseOptions.DEFAULT_MAX_CLIENTS, Map.of("orders", 1))
                        .equals(cell.node("a").monitor().status().clients()));
        assertThat(member.mode()).isEqualTo(NodeMode.MEMBER);
        assertThat(member.majority()).isEqualTo(2);
        assertThat(own.mode()).isEqualTo(NodeMode.CLIENT);
        assertThat(own.state()).isEqualTo(NodeStatus.State.SERVING);
        assertThat(own.clients()).isNull();
        assertThat(own.majority()).isEqualTo(2);
        assertThat(own.reachable()).isEqualTo(3);
    }

    @Test
    void clientsAndMembersWaitForEachOtherInOrder() throws InterruptedException {
        startMembers();
        PaxosLease y = client("y");
        PaxosLease z = client("z");
        cell.awaitServing();
        Lease first = y.tryAcquire("r", RENEWING).orElseThrow();
        CompletableFuture<Lease> ofMember = cell.node("b").acquire("r", RENEWING);
        Eventually.until("the member waits", () -> refused(cell.node("b")) > 0);
        CompletableFuture<Lease> ofClient = z.acquire("r", RENEWING);
        Eventually.until("the client waits", () -> refused(z) > 0);
        first.release();
        Lease second = Futures.get(ofMember);
        assertThat(ofClient).isNotDone();
        second.release();
        Lease third = Futures.get(ofClient);

        assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void aRetainedLockGoesFromClientToClient() throws InterruptedException {
        startMembers();
        LockOptions retained =
                LockOptions.builder().idleRetention(Duration.ofHours(1)).build();
        PaxosLease y = client("y");
        PaxosLease z = client("z");
        cell.awaitServing();
        LeaseLock ofY = new LeaseLocks(y, retained).get("k");
        LeaseLock ofZ = new LeaseLocks(z, retained).get("k");
        for (int i = 0; i < 3; i++) {
            assertThat(ofY.tryLock(10, TimeUnit.SECONDS)).isTrue();
            assertThat(ofZ.tryLock()).as("in use").isFalse();
            ofY.unlock();
            assertThat(ofZ.tryLock(10, TimeUnit.SECONDS)).isTrue();
            ofZ.unlock();
        }
        Eventually.until("asked for, it is handed over without a wait", ofY::tryLock);
        ofY.unlock();
    }

    @Test
    void aClientGoesOnWithTwoOfThreeMembersAndLosesItsLeaseWithOne() throws InterruptedException {
        startMembers();
        PaxosLease client = client("z");
        cell.awaitServing();
        Lease lease = client.tryAcquire("r", RENEWING).orElseThrow();
        LinkedBlockingQueue<LossReason> lost = new LinkedBlockingQueue<>();
        lease.onLost((which, reason) -> lost.add(reason));
        cell.node("c").stop();
        long before = sent(client);
        Eventually.until("it is renewed", () -> sent(client) > before + 6);
        assertThat(lease.isHeld()).isTrue();
        assertThat(client.monitor().status().hasMajority()).isTrue();
        cell.node("b").stop();

        assertThat(lost.poll(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(lease.isHeld()).isFalse();
        Eventually.until("it knows", () -> !client.monitor().status().hasMajority());
    }

    @Test
    void aClientMayStartBeforeTheMembers() throws InterruptedException {
        PaxosLease client = client("z");
        CompletableFuture<Lease> asked = client.acquire("r", RENEWING);
        startMembers();

        assertThat(Futures.get(asked).isHeld()).isTrue();
    }

    /** It has no acceptor that could serve on beside another configuration. */
    @Test
    void aClientThatIsConfiguredDifferentlyIsToldByThoseWhoRefuseIt() {
        startMembers();
        try (LogCapture log = LogCapture.ofNode()) {
            PaxosLease client = cell.start(cell.options("z")
                    .mode(NodeMode.CLIENT)
                    .maxLeaseTime(Duration.ofSeconds(2))
                    .build());
            Eventually.until("all refuse it", () -> client.monitor().peers().stream()
                    .allMatch(peer -> String.valueOf(peer.problem()).contains("the maximum lease times differ")));

            assertThat(client.monitor().status().otherConfiguration()).isNull();
            assertThat(log.count("Other configuration")).isZero();
        }
    }

    /** As during a change of the configuration. It must not tell the others, which take that from members only. */
    @Test
    void aMemberThatRunsAnotherConfigurationCostsAClientNoConnectionToTheOthers() throws InterruptedException {
        cell.start("a");
        cell.start("b");
        cell.start(cell.options("c").maxLeaseTime(Duration.ofSeconds(2)).build());
        PaxosLease client = client("z");
        Lease lease = Futures.get(client.acquire("r", RENEWING));
        Eventually.until("c has refused it in several seconds", () -> refusals(client) > 5);

        assertThat(cell.node("a").monitor().refusedConnections()).containsEntry(ConnectionRefusal.MALFORMED, 0L);
        assertThat(lease.isHeld()).isTrue();
    }

    private static long refusals(PaxosLease node) {
        return node.monitor().refusedConnections().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** It listens, and is silent after a start as any member is. */
    @Test
    void aCellOfOneMayHaveClients() throws InterruptedException {
        try (TestCell one = TestCell.of(Duration.ofSeconds(1), "a")) {
            PaxosLease member = one.start(one.options("a").maxClients(10).build());
            PaxosLease client = one.start(one.options("z").mode(NodeMode.CLIENT).build());
            assertThat(member.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
            Lease lease = Futures.get(client.acquire("r", RENEWING));
            assertThat(member.tryAcquire("r", ONCE)).isEmpty();
            member.stop();
            member.start();
            assertThat(member.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
            Eventually.until("it serves", () -> member.monitor().status().state() == NodeStatus.State.SERVING);
            Eventually.until("the lease is over", () -> !lease.isHeld());
            assertThat(Futures.get(member.acquire("r", RENEWING)).fencingToken())
                    .isGreaterThan(lease.fencingToken());
        }
    }

    @Test
    void aClientThatStopsHandsOverAndMayComeBackUnderItsName() throws InterruptedException {
        startMembers();
        PaxosLease y = client("y");
        PaxosLease z = client("z");
        cell.awaitServing();
        Lease first = y.tryAcquire("r", RENEWING).orElseThrow();
        CompletableFuture<Lease> waiting = z.acquire("r", RENEWING);
        Eventually.until("z waits", () -> refused(z) > 0);
        y.stop();
        Lease second = Futures.get(waiting);
        y.start();
        CompletableFuture<Lease> again = y.acquire("r", RENEWING);
        second.release();

        assertThat(Futures.get(again).fencingToken())
                .isGreaterThan(second.fencingToken())
                .isGreaterThan(first.fencingToken());
    }
}
