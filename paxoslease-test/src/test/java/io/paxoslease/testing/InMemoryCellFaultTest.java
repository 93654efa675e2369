package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What can be done to the nodes of an in-memory cell. Leases last 3 s, the longest 5 s. */
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryCellFaultTest {

    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();
    private static final Duration LEASE_TIME = PaxosLeaseOptions.DEFAULT_LEASE_TIME;
    /** The longest lease, 5 s, at the worst of clocks: 1.1 / 0.9. */
    private static final Duration QUARANTINE = Duration.ofNanos(6_111_111_112L);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final List<LossReason> lost = new ArrayList<>();

    @AfterEach
    void close() {
        cell.close();
    }

    private Optional<Lease> ask(String node) throws InterruptedException {
        return cell.node(node).tryAcquire("x", ASK_ONCE);
    }

    private Lease heldByA() throws InterruptedException {
        Lease lease = ask("a").orElseThrow();
        lease.onLost((same, reason) -> lost.add(reason));
        return lease;
    }

    private boolean isConnected(String node, String peer) {
        return cell.node(node).monitor().status().peers().stream()
                .anyMatch(status -> status.nodeId().equals(peer) && status.connected());
    }

    private NodeStatus.State state(String node) {
        return cell.node(node).monitor().status().state();
    }

    @Test
    void aNodeThatIsCutOffLosesItsLeaseAndAnotherTakesOverAfterTheLeaseTime() throws InterruptedException {
        Lease lease = heldByA();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.disconnect("a");
        cell.advance(Duration.ofMillis(2_400));
        assertThat(lease.isHeld()).isTrue();
        assertThat(waiting).isNotDone();
        cell.advance(LEASE_TIME.minusMillis(2_400).plusMillis(10));

        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).containsExactly(LossReason.EXPIRED);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
        cell.reconnect("a");
        cell.advance(Duration.ofSeconds(1));
        assertThat(ask("a")).isEmpty();
    }

    @Test
    void peersSeeWhoIsCutOff() {
        cell.disconnect("a");
        assertThat(isConnected("a", "b")).isFalse();
        assertThat(isConnected("b", "a")).isFalse();
        assertThat(isConnected("b", "c")).isTrue();
        assertThat(cell.node("b").monitor().status().peers())
                .filteredOn(peer -> peer.nodeId().equals("a"))
                .extracting(PeerStatus::problem)
                .containsExactly("lost the connection with peer 'a'");
        cell.reconnect("a");
        assertThat(isConnected("a", "b")).isTrue();
        assertThat(isConnected("b", "a")).isTrue();
    }

    @Test
    void aNodeThatIsCutOffForAMomentKeepsItsLease() throws InterruptedException {
        Lease lease = heldByA();
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(2));
        cell.reconnect("a");
        cell.advance(Duration.ofSeconds(10));

        assertThat(lease.isHeld()).isTrue();
        assertThat(ask("b")).isEmpty();
    }

    @Test
    void aCrashReleasesNothing() throws InterruptedException {
        Lease lease = heldByA();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.crash("a");
        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).containsExactly(LossReason.STOPPED);
        assertThat(state("a")).isEqualTo(NodeStatus.State.STOPPED);
        assertThat(isConnected("b", "a")).isFalse();
        cell.advance(LEASE_TIME.minusMillis(1));
        assertThat(waiting).isNotDone();
        cell.advance(Duration.ofMillis(10));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
    }

    @Test
    void aCrashFailsWhatWaitsOnTheNode() throws InterruptedException {
        heldByA();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.crash("b");

        assertThat(waiting).isCompletedExceptionally();
    }

    @Test
    void aStopReleasesWhatTheNodeHeld() throws InterruptedException {
        Lease lease = heldByA();
        cell.node("a").stop();

        assertThat(lease.isHeld()).isFalse();
        assertThat(ask("b")).isPresent();
    }

    @Test
    void aSecondLifeIsQuarantinedFromTheEndOfTheFirst() {
        cell.crash("a");
        cell.advance(Duration.ofSeconds(1));
        cell.restart("a");
        cell.restart("a");
        assertThat(state("a")).isEqualTo(NodeStatus.State.QUARANTINED);
        assertThat(isConnected("b", "a")).isTrue();
        cell.advance(QUARANTINE.minusSeconds(1).minusNanos(1));
        assertThat(state("a")).isEqualTo(NodeStatus.State.QUARANTINED);
        cell.advance(Duration.ofNanos(1));
        assertThat(state("a")).isEqualTo(NodeStatus.State.SERVING);
    }

    @Test
    void aNodeThatIsStoppedAndStartedIsQuarantinedToo() {
        cell.node("a").stop();
        cell.node("a").start();
        cell.crash("b");
        CompletableFuture<Lease> waiting = cell.node("c").acquire("x", AcquireOptions.renewing());
        cell.advance(QUARANTINE.minusNanos(1_001)); // the request took a microsecond
        assertThat(waiting).isNotDone();
        cell.advance(Duration.ofSeconds(2));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
    }

    /** Without the quarantine, a and b would grant it while it is held. */
    @Test
    void nodesThatForgotALeaseDoNotGrantItAnew() throws InterruptedException {
        Lease lease = ask("c").orElseThrow();
        cell.disconnect("c");
        cell.crash("a");
        cell.restart("a");
        cell.crash("b");
        cell.restart("b");
        CompletableFuture<Lease> waiting = cell.node("a").acquire("x", AcquireOptions.renewing());
        cell.advance(Duration.ofSeconds(2));

        assertThat(lease.isHeld()).isTrue();
        assertThat(waiting).isNotDone();
        cell.advance(QUARANTINE);
        assertThat(lease.isHeld()).isFalse();
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
    }

    @Test
    void aSuspendedNodeLosesItsLeaseAndLearnsOfItWhenItGoesOn() throws InterruptedException {
        Lease lease = heldByA();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        cell.suspend("a");
        cell.suspend("a");
        cell.advance(LEASE_TIME.plusMillis(10));
        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).isEmpty();
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
        cell.resume("a");
        assertThat(lost).containsExactly(LossReason.EXPIRED);
        cell.advance(Duration.ofSeconds(10));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
    }

    @Test
    void aShortPauseCostsNothing() throws InterruptedException {
        Lease lease = heldByA();
        cell.suspend("a");
        cell.advance(Duration.ofSeconds(2).minusMillis(500));
        cell.resume("a");
        cell.resume("a");
        cell.advance(Duration.ofSeconds(10));

        assertThat(lease.isHeld()).isTrue();
        assertThat(lost).isEmpty();
    }

    @Test
    void peersGiveTheConnectionsOfASuspendedNodeUpAfterFourSeconds() {
        cell.suspend("a");
        cell.advance(Duration.ofSeconds(4).minusNanos(1));
        assertThat(isConnected("b", "a")).isTrue();
        cell.advance(Duration.ofNanos(1));
        assertThat(isConnected("b", "a")).isFalse();
        cell.resume("a");
        assertThat(isConnected("b", "a")).isTrue();
        assertThat(isConnected("a", "b")).isTrue();
    }

    @Test
    void eachPauseCountsItsOwnFourSeconds() {
        cell.suspend("a");
        cell.advance(Duration.ofSeconds(3));
        cell.resume("a");
        cell.suspend("a");
        cell.advance(Duration.ofSeconds(3));

        assertThat(isConnected("b", "a")).isTrue();
    }

    @Test
    void aSuspendedNodeCanCrash() throws InterruptedException {
        Lease lease = heldByA();
        cell.suspend("a");
        cell.crash("a");
        assertThat(lease.isHeld()).isFalse();
        cell.restart("a");
        cell.advance(QUARANTINE);

        assertThat(state("a")).isEqualTo(NodeStatus.State.SERVING);
        assertThatIllegalStateException().isThrownBy(() -> {
            cell.crash("a");
            cell.suspend("a");
        });
    }
}
