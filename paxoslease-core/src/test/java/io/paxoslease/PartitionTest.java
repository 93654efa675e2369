package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.Gate;
import io.paxoslease.testing.TestCell;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Node a holds a lease and is cut off from b and c: no connection closes, no byte passes. */
@Tag("slow")
class PartitionTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private final TestCell cell = TestCell.of(Duration.ofMillis(600), "a", "b", "c");
    private final Map<String, Gate> gates = new LinkedHashMap<>();
    private PaxosLease a;
    private PaxosLease b;

    @BeforeEach
    void start() throws IOException {
        for (String id : List.of("a", "b", "c")) {
            gates.put(id, Gate.to(port(id)));
        }
        a = startThroughGates("a", "b", "c");
        b = startThroughGates("b", "a");
        startThroughGates("c", "a");
        cell.awaitServing();
    }

    @AfterEach
    void stop() throws IOException {
        cell.close();
        for (Gate gate : gates.values()) {
            gate.close();
        }
    }

    @Test
    void theLeaseOfANodeThatIsCutOffEndsBeforeAnotherBegins() throws InterruptedException {
        BlockingQueue<LossReason> told = new LinkedBlockingQueue<>();
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        lease.onLost((lost, reason) -> told.add(reason));
        gates.values().forEach(Gate::shut);

        Lease next = b.tryAcquire("r", RENEWING).orElseThrow();

        assertThat(lease.isHeld()).isFalse();
        assertThat(next.isHeld()).isTrue();
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(a.tryAcquire("r", ONCE)).isEmpty();
    }

    @Test
    void whatWasStuckOnTheWayDoesNoHarmWhenItArrives() throws InterruptedException {
        Lease lease = Futures.get(a.acquire("r", RENEWING));
        gates.values().forEach(Gate::shut);
        Lease next = b.tryAcquire("r", RENEWING).orElseThrow();

        gates.values().forEach(Gate::open);
        cell.awaitServing();

        assertThat(a.tryAcquire("r", ONCE)).isEmpty();
        assertThat(next.isHeld()).isTrue();
        next.release();
        Lease again = Futures.get(a.acquire("r", RENEWING));
        assertThat(again.fencingToken()).isGreaterThan(next.fencingToken());
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void aShortInterruptionCostsNothing() throws InterruptedException {
        Lease lease = Futures.get(a.acquire(
                "r", AcquireOptions.builder().leaseTime(Duration.ofMillis(600)).build()));
        long before = renewals();
        Eventually.until("renewed", () -> renewals() > before);
        gates.values().forEach(Gate::shut);
        gates.values().forEach(Gate::open);

        long after = renewals();
        Eventually.until("renewed again", () -> renewals() > after + 1);
        assertThat(lease.isHeld()).isTrue();
    }

    private long renewals() {
        return a.monitor().status("r").map(LeaseStatus::renewals).orElse(0L);
    }

    private PaxosLease startThroughGates(String id, String... others) {
        Map<String, String> addresses = new LinkedHashMap<>(cell.addresses());
        for (String other : others) {
            addresses.put(other, "127.0.0.1:" + gate(other).port());
        }
        return cell.start(PaxosLeaseOptions.builder(id)
                .peers(addresses)
                .cell(cell.name())
                .leaseTime(Duration.ofMillis(600))
                .maxLeaseTime(Duration.ofMillis(600))
                .build());
    }

    private Gate gate(String id) {
        return Objects.requireNonNull(gates.get(id));
    }

    private int port(String id) {
        return PeerAddress.parse("peers", id, cell.addresses().get(id)).getPort();
    }
}
