package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCa;
import io.paxoslease.testing.TestCell;
import io.paxoslease.transport.netty.NettyTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes with two event loops, over TCP: whatever holds for a resource holds for those of either shard. */
class ShardedCellTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE = RENEWING.waitingAtMost(Duration.ZERO);
    private static final List<String> NODES = List.of("a", "b", "c");
    /** One for each shard. */
    private static final List<String> BOTH = List.of(inShard(0, 0), inShard(1, 0));

    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    /** The name of a resource that falls to that shard. */
    private static String inShard(int shard, int number) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "r-" + i)
                .filter(name -> RunningShards.shardOf(name, 2) == shard)
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    private PaxosLease start(String id, int eventLoops, @Nullable TlsOptions tls) {
        return cell.start(cell.options(id).eventLoops(eventLoops).tls(tls).build());
    }

    private void startAll() {
        NODES.forEach(id -> start(id, 2, null));
        cell.awaitServing();
    }

    @Test
    void leasesExcludeAndAreReleasedInBothShards() throws InterruptedException {
        startAll();
        for (String resource : BOTH) {
            Lease lease = cell.node("a").tryAcquire(resource, RENEWING).orElseThrow();
            assertThat(cell.node("b").tryAcquire(resource, ONCE)).isEmpty();
            CompletableFuture<Lease> waiting = cell.node("b").acquire(resource, RENEWING);
            Eventually.until("it is renewed", () -> renewals("a", resource) > 1);
            assertThat(waiting).isNotDone();
            lease.release();
            Lease next = Futures.get(waiting);

            assertThat(next.isHeld()).isTrue();
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
        assertThat(cell.node("b").heldLeases()).isEqualTo(2);
    }

    @Test
    void eachShardHasItsOwnThread() throws InterruptedException {
        startAll();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        cell.node("a").addObserver(new NodeObserver() {
            @Override
            public void agreed(String resource, boolean renewal, Duration took) {
                threads.add(resource + " on " + Thread.currentThread().getName().replaceFirst("-\\d+-", "-n-"));
            }
        });
        for (String resource : BOTH) {
            assertThat(cell.node("a").tryAcquire(resource, RENEWING)).isPresent();
        }

        assertThat(threads)
                .containsExactlyInAnyOrder(BOTH.get(0) + " on paxoslease-a-n-1", BOTH.get(1) + " on paxoslease-a-n-2");
    }

    @Test
    void twoNodesAreACell() throws InterruptedException {
        start("a", 2, null);
        start("b", 2, null);
        cell.awaitServing();
        for (String resource : BOTH) {
            assertThat(cell.node("a").tryAcquire(resource, RENEWING)).isPresent();
            assertThat(cell.node("b").tryAcquire(resource, ONCE)).isEmpty();
        }
    }

    @Test
    void requestsCanBeWithdrawnAndLeasesGivenUpInBothShards() throws InterruptedException {
        startAll();
        for (String resource : BOTH) {
            Lease lease = cell.node("a").tryAcquire(resource, RENEWING).orElseThrow();
            CompletableFuture<Lease> withdrawn = cell.node("b").acquire(resource, RENEWING);
            withdrawn.cancel(false);
            assertThat(cell.node("a").giveUp(resource)).isEqualTo(PaxosLease.GivenUp.RELEASED);
            assertThat(lease.isHeld()).isFalse();
            assertThat(cell.node("c").tryAcquire(resource, RENEWING)).isPresent();
        }
        assertThat(cell.node("b").heldLeases()).isZero();
    }

    @Test
    void aNodeThatStopsHandsOverWhatItHoldsInBothShards() throws InterruptedException {
        startAll();
        Set<String> told = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (String resource : BOTH) {
            Lease lease = cell.node("a").tryAcquire(resource, RENEWING).orElseThrow();
            lease.onLost((lost, reason) -> told.add(resource + " " + reason + " " + lost.isHeld()));
            waiting.add(cell.node("b").acquire(resource, RENEWING));
            Eventually.until("b waits", () -> waitsForA("b", resource));
        }
        long begin = System.nanoTime();
        cell.node("a").stop();
        for (CompletableFuture<Lease> next : waiting) {
            assertThat(Futures.get(next).isHeld()).isTrue();
        }

        assertThat(System.nanoTime() - begin).isLessThan(LEASE.toNanos() / 2);
        Eventually.until("listeners are told", () -> told.size() == 2);
        assertThat(told).containsExactlyInAnyOrder(BOTH.get(0) + " STOPPED false", BOTH.get(1) + " STOPPED false");
        assertThat(cell.node("a").heldLeases()).isZero();
    }

    @Test
    void electionsAndLocksWorkInBothShards() throws InterruptedException {
        startAll();
        for (String resource : BOTH) {
            List<LeaderElection> elections = NODES.stream()
                    .map(id -> new LeaderElection(cell.node(id), resource, resource, new TestCandidate()))
                    .toList();
            elections.forEach(LeaderElection::start);
            Eventually.until("somebody leads", () -> leaders(elections) == 1);
            LeaderElection first = elections.stream()
                    .filter(LeaderElection::isLeader)
                    .findFirst()
                    .orElseThrow();
            first.stop(Duration.ofSeconds(10));
            Eventually.until("another one leads", () -> leaders(elections) == 1);
            elections.forEach(election -> election.stop(Duration.ofSeconds(10)));
        }
        LeaseLocks a = new LeaseLocks(cell.node("a"), LockOptions.renewing());
        LeaseLocks b = new LeaseLocks(cell.node("b"), LockOptions.renewing());
        for (String key : BOTH) {
            assertThat(a.get(key).tryLock(5, TimeUnit.SECONDS)).isTrue();
            assertThat(b.get(key).tryLock()).isFalse();
            a.get(key).unlock();
            assertThat(b.get(key).tryLock(5, TimeUnit.SECONDS)).isTrue();
            b.get(key).unlock();
        }
    }

    private static long leaders(List<LeaderElection> elections) {
        return elections.stream().filter(LeaderElection::isLeader).count();
    }

    @Test
    void aNodeWithAnotherNumberOfEventLoopsIsRefused() throws InterruptedException {
        start("a", 2, null);
        start("b", 2, null);
        PaxosLease c = start("c", 3, null);
        Eventually.until(
                "two of them serve",
                () -> connected("a", "b")
                        && connected("b", "a")
                        && Stream.of("a", "b")
                                .allMatch(id -> cell.node(id).status().state() == NodeStatus.State.SERVING));
        String theirs = "the event loops (paxoslease.event-loops) differ, 3 at 'c' but 2 at '%s': "
                + "configure the same on every node";
        for (String id : List.of("a", "b")) {
            Eventually.until("it is refused", () -> problem(c, id).contains(theirs.formatted(id)));
            Eventually.until("it refuses, too", () -> problem(cell.node(id), "c")
                    .contains("the event loops (paxoslease.event-loops) differ"));
            assertThat(cell.node(id).refusedConnections().get(ConnectionRefusal.CONFIGURATION))
                    .isPositive();
        }
        assertThat(c.peers()).extracting(PeerStatus::refusal).doesNotContainNull();
        for (String resource : BOTH) {
            assertThat(c.tryAcquire(resource, ONCE)).isEmpty();
            assertThat(cell.node("a").tryAcquire(resource, RENEWING)).isPresent();
        }
    }

    private static String problem(PaxosLease node, String peer) {
        return node.peers().stream()
                .filter(each -> each.nodeId().equals(peer))
                .map(PeerStatus::problem)
                .map(String::valueOf)
                .findFirst()
                .orElseThrow();
    }

    /** No shard of a node that starts anew answers: a majority would have to include it. */
    @Test
    void aRestartQuarantinesEveryShard() throws InterruptedException {
        startAll();
        PaxosLease b = cell.node("b");
        Duration quarantine = Duration.ofNanos(b.options().timing().quarantineNanos());
        Duration lookAround = Duration.ofNanos(ConfigurationGuard.LOOK_AROUND_NANOS);
        cell.node("c").stop();
        long stopped = System.nanoTime();
        b.stop();
        b.start();

        assertThat(b.status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
        assertThat(b.status().quarantineRemaining()).isPositive().isLessThanOrEqualTo(lookAround);
        List<CompletableFuture<Long>> granted = BOTH.stream()
                .map(resource -> cell.node("a").acquire(resource, RENEWING).thenApply(lease -> System.nanoTime()))
                .toList();
        for (CompletableFuture<Long> at : granted) {
            assertThat(Futures.get(at) - stopped).isGreaterThan(quarantine.toNanos());
        }
        assertThat(b.status().state()).isEqualTo(NodeStatus.State.SERVING);
    }

    @Test
    void peersDieAndReturnInEveryShard() throws InterruptedException {
        startAll();
        List<Lease> leases = new ArrayList<>();
        for (String resource : BOTH) {
            leases.add(cell.node("a").tryAcquire(resource, RENEWING).orElseThrow());
        }
        for (int round = 0; round < 2; round++) {
            cell.node("c").stop();
            Eventually.until("c is gone", () -> !connected("a", "c") && !connected("b", "c"));
            cell.node("c").start();
            cell.awaitServing();
            cell.node("b").stop();
            Eventually.until("b is gone", () -> !connected("a", "b"));
            for (String resource : BOTH) { // with c alone
                long renewals = renewals("a", resource);
                Eventually.until("it is renewed", () -> renewals("a", resource) > renewals + 1);
            }
            cell.node("b").start();
            cell.awaitServing();
        }
        assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void whatIsKnownIsOfAllShards() throws InterruptedException {
        startAll();
        PaxosLease a = cell.node("a");
        List<String> resources = IntStream.range(0, 3)
                .boxed()
                .flatMap(number -> Stream.of(inShard(1, number), inShard(0, number)))
                .toList();
        for (String resource : resources) {
            assertThat(a.tryAcquire(resource, RENEWING)).isPresent();
        }

        assertThat(a.heldLeases()).isEqualTo(6);
        assertThat(a.resources())
                .containsExactlyElementsOf(resources.stream().sorted().toList());
        assertThat(a.status(resources)).extracting(LeaseStatus::resource).containsExactlyElementsOf(resources);
        assertThat(a.status(resources)).extracting(LeaseStatus::state).containsOnly(LeaseStatus.State.HELD);
        assertThat(a.messagesSent().get("propose")).isGreaterThanOrEqualTo(12);
        Eventually.until("b has heard of all", () -> cell.node("b").resources().containsAll(resources));
        assertThat(a.status().state()).isEqualTo(NodeStatus.State.SERVING);
        assertThat(a.status().clocks().trusted()).isTrue();
        assertThat(a.clockDisagreements()).isZero();
        Eventually.until(
                "the round trips are known", () -> a.peers().stream().allMatch(peer -> peer.roundTrip() != null));
    }

    @Test
    void leasesOutliveNewKeysInBothShards() throws InterruptedException {
        TestCa old = new TestCa("old");
        TestCa next = new TestCa("next");
        for (String id : NODES) {
            start(
                    id,
                    2,
                    TlsOptions.builder(TestCa.keys(old.certificate(id)), TestCa.trust(old, next))
                            .verifyNodeIds(true)
                            .build());
        }
        cell.awaitServing();
        List<Lease> leases = new ArrayList<>();
        for (String resource : BOTH) {
            leases.add(cell.node("a").tryAcquire(resource, RENEWING).orElseThrow());
        }
        try (LogCapture log = LogCapture.of(NettyTransport.class)) {
            for (String id : NODES) {
                cell.node(id)
                        .reloadTls(TlsOptions.builder(TestCa.keys(next.certificate(id)), TestCa.trust(next, old))
                                .verifyNodeIds(true)
                                .build());
            }
            for (String id : NODES) { // nobody can connect any more who has the old keys
                cell.node(id)
                        .reloadTls(next.tls(next.certificate(id))
                                .verifyNodeIds(true)
                                .build());
            }
            for (String resource : BOTH) {
                long renewals = renewals("a", resource);
                Eventually.until("it is renewed with the new keys", () -> renewals("a", resource) > renewals + 8);
            }
            assertThat(log.warnings("")).isEmpty();
        }
        assertThat(leases).allMatch(Lease::isHeld);
        cell.awaitServing();
    }

    @Test
    void aCellOfOneHasOneLoop() throws InterruptedException {
        try (PaxosLease solo = PaxosLease.create(
                PaxosLeaseOptions.builder("one-loop").eventLoops(4).build())) {
            solo.start();
            for (String resource : BOTH) {
                assertThat(solo.tryAcquire(resource, ONCE)).isPresent();
            }
            assertThat(solo.resources()).containsExactlyInAnyOrderElementsOf(BOTH);
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .filteredOn(name -> name.startsWith("paxoslease-one-loop") && !name.endsWith("callbacks"))
                    .hasSize(1);
        }
    }

    private boolean connected(String id, String peer) {
        return cell.node(id).peers().stream().anyMatch(each -> each.nodeId().equals(peer) && each.connected());
    }

    private long renewals(String id, String resource) {
        return cell.node(id).status(resource).map(LeaseStatus::renewals).orElse(0L);
    }

    private boolean waitsForA(String id, String resource) {
        return cell.node(id)
                .status(resource)
                .filter(status -> "a".equals(status.owner()))
                .filter(status -> status.state() == LeaseStatus.State.WAITING)
                .isPresent();
    }
}
