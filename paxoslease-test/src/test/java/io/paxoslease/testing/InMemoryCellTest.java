package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases in an in-memory cell, and its clock. */
@Tag("slow")
@Tag("jdk")
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryCellTest {

    private static final AcquireOptions ASK_ONCE =
            AcquireOptions.builder().maxWait(Duration.ZERO).build();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private Optional<Lease> ask(String node) throws InterruptedException {
        return cell.node(node).tryAcquire("x", ASK_ONCE);
    }

    @Test
    void everyNodeServesAndReachesTheOthersAtOnce() {
        for (String id : List.of("a", "b", "c")) {
            NodeStatus status = cell.node(id).monitor().status();
            assertThat(status.state()).isEqualTo(NodeStatus.State.SERVING);
            assertThat(status.peers()).hasSize(2).allMatch(PeerStatus::connected);
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
    void aReleasedLeaseGoesToWhoWaitsAtOnce() throws Exception {
        Lease lease = ask("a").orElseThrow();
        CompletableFuture<Lease> waiting = cell.node("b").acquire("x", AcquireOptions.renewing());
        assertThat(waiting).isNotDone();
        lease.release();

        Lease next = Futures.get(waiting);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void aReleasedLeaseIsFreeForWhoAsksNext() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            for (String id : List.of("a", "b", "c")) {
                ask(id).orElseThrow().release();
            }
        }
    }

    /** A holder stops relying on its lease a millisecond before the deadline. */
    @Test
    void aLeaseEndsAtItsDeadlineAndNotBefore() throws Exception {
        Lease lease = Futures.get(cell.node("a").acquire("x", AcquireOptions.fixed(Duration.ofSeconds(2))));
        List<LossReason> lost = new ArrayList<>();
        lease.onLost((same, reason) -> lost.add(reason));

        cell.advance(Duration.ofMillis(1_999).minusNanos(2_000)); // the request took a microsecond
        assertThat(lease.isHeld()).isTrue();
        cell.advance(Duration.ofNanos(1_000));
        assertThat(lease.isHeld()).isFalse();
        assertThat(lost).isEmpty();
        cell.advance(Duration.ofMillis(1).minusNanos(1));
        assertThat(lost).isEmpty();
        cell.advance(Duration.ofNanos(1));
        assertThat(lost).containsExactly(LossReason.EXPIRED);
        assertThat(ask("b")).isPresent();
    }

    @Test
    void aLimitOnAWaitIsReachedInTheCellsTime() throws Exception {
        Lease lease = ask("a").orElseThrow();
        CompletableFuture<Lease> waiting = cell.node("b")
                .acquire(
                        "x",
                        AcquireOptions.builder().maxWait(Duration.ofMinutes(1)).build());
        cell.advance(Duration.ofSeconds(60).minusNanos(1_001)); // the request took a microsecond
        assertThat(waiting).isNotDone();
        cell.advance(Duration.ofNanos(1));

        assertThat(waiting).isCompletedExceptionally();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aLeaseIsHeldForADay() throws InterruptedException {
        Lease lease = ask("a").orElseThrow();
        List<LossReason> lost = new ArrayList<>();
        lease.onLost((same, reason) -> lost.add(reason));
        cell.advance(Duration.ofDays(1));

        assertThat(lease.isHeld()).isTrue();
        assertThat(lost).isEmpty();
        assertThat(cell.node("a").monitor().status("x").orElseThrow().renewals())
                .isGreaterThan(100_000);
        assertThat(ask("b")).isEmpty();
    }

    @Test
    void aCellOfOneNeedsNobody() throws InterruptedException {
        try (InMemoryCell alone = InMemoryCell.of("a")) {
            Lease lease = alone.node("a").tryAcquire("x", ASK_ONCE).orElseThrow();
            alone.advance(Duration.ofMinutes(1));
            assertThat(lease.isHeld()).isTrue();
            alone.crash("a");
            alone.restart("a");
            assertThat(alone.node("a").monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
        }
    }

    @Test
    void leaseTimesCanBeChosen() throws InterruptedException {
        try (InMemoryCell slow = InMemoryCell.of(Duration.ofMinutes(1), Duration.ofMinutes(2), "a", "b", "c")) {
            assertThat(slow.node("a").tryAcquire("x", ASK_ONCE)).isPresent();
            slow.crash("a");
            slow.advance(Duration.ofSeconds(59));
            assertThat(slow.node("b").tryAcquire("x", ASK_ONCE)).isEmpty();
            slow.advance(Duration.ofSeconds(1));
            assertThat(slow.node("b").tryAcquire("x", ASK_ONCE)).isPresent();
        }
    }

    @Test
    void aNodeThatDoesNotExistIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell.node("d"))
                .withMessage("This cell has no node 'd', but [a, b, c]");
        assertThatIllegalArgumentException().isThrownBy(() -> cell.crash("d"));
        assertThatIllegalArgumentException().isThrownBy(() -> cell.denyRequests("d", resource -> true));
    }

    @Test
    void aCellThatMakesNoSenseIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(InMemoryCell::of).withMessageContaining("at least one node");
        assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> InMemoryCell.of("a", "b", "a"));
        assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> InMemoryCell.of("a b"));
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> InMemoryCell.of(Duration.ofSeconds(2), Duration.ofSeconds(1), "a"));
    }

    @Test
    void theClockOnlyGoesForwardAndNotTooFar() {
        assertThatIllegalArgumentException().isThrownBy(() -> cell.advance(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> cell.advance(Duration.ofDays(366)));
    }

    @Test
    void aClosedCellSaysSo() {
        cell.close();
        cell.close();

        assertThat(cell.node("a").monitor().isRunning()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> cell.advance(Duration.ZERO));
        assertThatIllegalStateException().isThrownBy(() -> cell.disconnect("a"));
        assertThatIllegalStateException().isThrownBy(() -> cell.restart("a"));
    }
}
