package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCell;
import io.paxoslease.testing.Timings;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the stop of a node means for its leases, its callers, and the other nodes. */
@Tag("slow")
class NodeStopTest {

    private static final Duration LEASE_TIME = Duration.ofSeconds(2);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private TestCell cell;
    private PaxosLease a;
    private PaxosLease b;

    @BeforeEach
    void start() {
        cell = TestCell.started(LEASE_TIME);
        a = cell.node("a");
        b = cell.node("b");
    }

    @AfterEach
    void stop() {
        cell.close();
    }

    @Test
    void leasesEndAndListenersAreTold() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        lease.onLost((lost, reason) -> told.add(reason + " " + lost.isHeld()));

        a.stop();

        assertThat(lease.isHeld()).isFalse();
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo("STOPPED false");
    }

    @Test
    void theOthersAreToldThatTheLeasesAreFree() throws InterruptedException {
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        CompletableFuture<Lease> waiting = b.acquire("r", RENEWING);
        CompletableFuture<Long> grantedAt = waiting.thenApply(granted -> System.nanoTime());
        Eventually.until("b waits", () -> isWaitingForA(b));

        long start = System.nanoTime();
        a.stop();
        Lease next = Futures.get(waiting);

        assertThat(Futures.get(grantedAt) - start).isLessThan(LEASE_TIME.toNanos() / 2);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void whoWaitsIsToldThatTheNodeStopped() throws InterruptedException {
        Futures.get(a.acquire("r", RENEWING));
        CompletableFuture<Lease> future = b.acquire("r", RENEWING);
        Background<Optional<Lease>> waiting = Background.start(() -> b.tryAcquire("r", RENEWING));
        waiting.awaitBlocked();

        b.stop();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(10, TimeUnit.SECONDS))
                .withCauseExactlyInstanceOf(PaxosLeaseException.class)
                .withMessageContaining("This PaxosLease node is not running: start it first");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseExactlyInstanceOf(PaxosLeaseException.class)
                .withMessageContaining("This PaxosLease node is not running: start it first");
    }

    @Test
    void aStoppedNodeSaysSo() {
        a.stop();

        assertThat(a.monitor().isRunning()).isFalse();
        assertThat(a.acquire("r", RENEWING))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("This PaxosLease node is not running: start it first");
        assertThatExceptionOfType(PaxosLeaseException.class)
                .isThrownBy(() -> a.tryAcquire("r", ONCE))
                .withMessageStartingWith("This PaxosLease node is not running: start it first");
        assertThat(a.monitor().status().state()).isEqualTo(NodeStatus.State.STOPPED);
        assertThat(a.monitor().status().peers()).isEmpty();
        assertThat(a.monitor().status("r")).isEmpty();
    }

    /** A majority without the restarted node would have to include it: nothing is granted before its quarantine is over. */
    @Test
    void aRestartedNodeIsSilentUntilItsQuarantineIsOver() throws InterruptedException {
        Duration quarantine = Duration.ofNanos(Timings.of(a.monitor().options()).quarantineNanos());
        cell.node("c").stop();
        long stopped = System.nanoTime();
        b.stop();
        b.start();

        assertThat(b.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
        assertThat(b.monitor().status().quarantineRemaining()).isPositive().isLessThanOrEqualTo(quarantine);
        assertThat(a.tryAcquire("r", ONCE)).isEmpty();
        CompletableFuture<Lease> byA = a.acquire("r", RENEWING);
        CompletableFuture<Lease> byB = b.acquire("s", RENEWING);
        Lease lease = Futures.get(byA);
        Lease other = Futures.get(byB);

        assertThat(System.nanoTime() - stopped).isGreaterThan(quarantine.toNanos());
        assertThat(b.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
        assertThat(lease.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
    }

    @Test
    void aHolderOutlivesTheRestartOfAnother() throws InterruptedException {
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        b.stop();
        b.start();

        assertThat(b.tryAcquire("r", ONCE)).isEmpty();
        Eventually.until("b serves again", () -> b.monitor().status().state() == NodeStatus.State.SERVING);
        assertThat(lease.isHeld()).isTrue();
        assertThat(b.tryAcquire("r", ONCE)).isEmpty();
    }

    @Test
    void aRestartedNodeHasANewIncarnation() {
        String before = a.monitor().status().incarnation();
        a.stop();
        a.start();

        assertThat(a.monitor().status().incarnation()).hasSize(32).isNotEqualTo(before);
    }

    @Test
    void aMajorityIsEnough() throws InterruptedException {
        cell.node("c").stop();

        assertThat(Futures.get(a.acquire("r", RENEWING)).isHeld()).isTrue();
        assertThat(b.tryAcquire("r", ONCE)).isEmpty();
    }

    @Test
    void withoutAMajorityNothingIsGrantedAndNothingIsKept() throws InterruptedException {
        BlockingQueue<LossReason> told = new LinkedBlockingQueue<>();
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        lease.onLost((lost, reason) -> told.add(reason));
        b.stop();
        cell.node("c").stop();

        assertThat(a.tryAcquire("s", ONCE)).isEmpty();
        assertThat(a.acquire("s", ONCE))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withMessageEndingWith("Lease 's' was not granted: no majority of the cell answered");
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(lease.isHeld()).isFalse();
    }

    /**
     * The next process is silent from the moment on that it has bound the port (A0). So the port is not free before the node's thread has done
     * its last work, even when the caller of stop is in a hurry and the thread is held up.
     */
    @Test
    void thePortIsFreeWhenTheNodeAnswersNothingAnyMore() throws InterruptedException, ExecutionException, IOException {
        CountDownLatch heldUp = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        TestCell lonely = TestCell.of(LEASE_TIME, "a", "b", "c");
        PaxosLease node = lonely.start(lonely.options("a")
                .callbackExecutor(task -> {
                    heldUp.countDown();
                    await(goOn);
                })
                .build());
        node.acquire("r", ONCE);
        assertThat(heldUp.await(10, TimeUnit.SECONDS)).isTrue();
        Background<Boolean> stopping = Background.start(() -> {
            Thread.currentThread().interrupt();
            node.stop();
            return true;
        });
        stopping.awaitBlocked();
        assertThatThrownBy(() -> RawConnection.listen(port(lonely))).isInstanceOf(BindException.class);
        goOn.countDown();
        stopping.result();

        try (ServerSocket next = RawConnection.listen(port(lonely))) {
            assertThat(next.isBound()).isTrue();
        }
    }

    private static int port(TestCell cell) {
        return PeerAddress.parse("peers", "a", cell.addresses().get("a")).getPort();
    }

    @Test
    void noThreadSurvivesAStop() {
        try (TestCell other = TestCell.of(LEASE_TIME, "leak-a", "leak-b", "leak-c")) {
            for (int i = 0; i < 3; i++) {
                other.start("leak-a");
                other.start("leak-b");
                Eventually.until("a lease", () -> other.node("leak-a")
                        .acquire("r" + System.nanoTime(), ONCE)
                        .handle((lease, denied) -> true)
                        .join());
                other.node("leak-a").stop();
                other.node("leak-b").stop();
            }
        }
        Eventually.until("every thread has ended", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("paxoslease-leak-")));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isWaitingForA(PaxosLease node) {
        return node.monitor()
                .status("r")
                .filter(status -> "a".equals(status.owner()))
                .filter(status -> status.state() == LeaseStatus.State.WAITING)
                .isPresent();
    }
}
