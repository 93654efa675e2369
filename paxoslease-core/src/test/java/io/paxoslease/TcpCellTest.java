package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCell;
import io.paxoslease.testing.Timings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Members that stop, start again and are asked what they know, over TCP. */
@Tag("slow")
class TcpCellTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    private void start(String... ids) {
        for (String id : ids) {
            cell.start(cell.options(id).build());
        }
        cell.awaitServing();
    }

    @Test
    void twoOfThreeMembersAreAMajority() throws InterruptedException {
        start("a", "b");

        assertThat(cell.node("a").tryAcquire("r", RENEWING)).isPresent();
        assertThat(cell.node("b").tryAcquire("r", ONCE)).isEmpty();
    }

    /** The only majority that is left includes the member that started again. */
    @Test
    void aMemberThatStartsAgainGrantsNothingInItsQuarantine() throws InterruptedException {
        start("a", "b", "c");
        PaxosLease b = cell.node("b");
        Duration quarantine = Duration.ofNanos(Timings.of(b.monitor().options()).quarantineNanos());
        Duration lookAround = Duration.ofNanos(ConfigurationGuard.LOOK_AROUND_NANOS);
        cell.node("c").stop();
        long stopped = System.nanoTime();
        b.stop();
        b.start();

        assertThat(b.monitor().status().state()).isEqualTo(NodeStatus.State.QUARANTINED);
        assertThat(b.monitor().status().quarantineRemaining()).isPositive().isLessThanOrEqualTo(lookAround);
        CompletableFuture<Long> grantedAt =
                cell.node("a").acquire("r", RENEWING).thenApply(lease -> System.nanoTime());
        assertThat(Futures.get(grantedAt) - stopped).isGreaterThan(quarantine.toNanos());
        assertThat(b.monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
    }

    @Test
    void aLeaseIsHeldWhileTheOtherMembersStopAndStartInTurn() throws InterruptedException {
        start("a", "b", "c");
        Lease lease = cell.node("a").tryAcquire("r", RENEWING).orElseThrow();
        for (int round = 0; round < 2; round++) {
            cell.node("c").stop();
            Eventually.until("c is gone", () -> !connected("a", "c") && !connected("b", "c"));
            cell.node("c").start();
            cell.awaitServing();
            cell.node("b").stop();
            Eventually.until("b is gone", () -> !connected("a", "b"));
            long renewals = renewals();
            Eventually.until("it is renewed by a and c alone", () -> renewals() > renewals + 1);
            cell.node("b").start();
            cell.awaitServing();
        }
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aNodeShowsWhatItHoldsInOrder() throws InterruptedException {
        start("a", "b", "c");
        PaxosLease a = cell.node("a");
        List<String> resources = IntStream.of(3, 1, 2).mapToObj(i -> "r-" + i).toList();
        for (String resource : resources) {
            assertThat(a.tryAcquire(resource, RENEWING)).isPresent();
        }

        assertThat(a.monitor().heldLeases()).isEqualTo(3);
        assertThat(a.monitor().resources()).containsExactly("r-1", "r-2", "r-3");
        assertThat(a.monitor().status(resources))
                .extracting(LeaseStatus::resource)
                .containsExactlyElementsOf(resources);
        assertThat(a.monitor().status(resources)).extracting(LeaseStatus::state).containsOnly(LeaseStatus.State.HELD);
        assertThat(a.monitor().messagesSent().get("propose")).isGreaterThanOrEqualTo(6);
        Eventually.until(
                "b has heard of all", () -> cell.node("b").monitor().resources().containsAll(resources));
        assertThat(a.monitor().status().clocks().trusted()).isTrue();
        assertThat(a.monitor().clockDisagreements()).isZero();
        Eventually.until("the round trips are known", () -> a.monitor().peers().stream()
                .allMatch(peer -> peer.roundTrip() != null));
    }

    private boolean connected(String id, String peer) {
        return cell.node(id).monitor().peers().stream()
                .anyMatch(each -> each.nodeId().equals(peer) && each.connected());
    }

    private long renewals() {
        return cell.node("a").monitor().status("r").map(LeaseStatus::renewals).orElse(0L);
    }
}
