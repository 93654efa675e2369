package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes a, b and c, and a resource for each test. */
@Tag("slow")
class PaxosLeaseTest {

    private static final Duration LEASE_TIME = Duration.ofSeconds(2);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final AcquireOptions ONCE =
            RENEWING.toBuilder().maxWait(Duration.ZERO).build();

    private static TestCell cell;
    private static PaxosLease a;
    private static PaxosLease b;
    private static PaxosLease c;

    private final String resource = "r-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        cell = TestCell.started(LEASE_TIME);
        a = cell.node("a");
        b = cell.node("b");
        c = cell.node("c");
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @Test
    void aLeaseIsHeldUntilItIsReleased() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));

        assertThat(lease.resource()).isEqualTo(resource);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.fencingToken()).isPositive().isLessThan(1L << 53);
        assertThat(lease.remaining()).isPositive().isLessThan(LEASE_TIME);
        assertThat(a.monitor().status(resource).map(LeaseStatus::state)).contains(LeaseStatus.State.HELD);

        lease.release();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void onlyOneNodeHoldsALease() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));

        assertThat(a.tryAcquire(resource, ONCE)).isEmpty();
        assertThat(b.tryAcquire(resource, ONCE)).isEmpty();
        assertThat(c.tryAcquire(resource, ONCE)).isEmpty();
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void whoAsksOnceIsToldWhoHoldsIt() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> b.acquire(resource, ONCE).get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LeaseTimeoutException.class)
                .withMessageEndingWith("Lease '%s' is held; last known to be held by node 'a'", resource);
        lease.release();
    }

    @Test
    void aWaitIsAsLongAsAskedFor() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));
        AcquireOptions limited =
                RENEWING.toBuilder().maxWait(Duration.ofMillis(150)).build();
        long start = System.nanoTime();

        assertThat(b.tryAcquire(resource, limited)).isEmpty();
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> b.acquire(resource, limited).get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LeaseTimeoutException.class)
                .withMessageEndingWith(
                        "Lease '%s' was not granted in time; last known to be held by node 'a'", resource);
        lease.release();
    }

    @Test
    void aReleaseWakesAWaiterOnAnotherNode() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));
        CompletableFuture<Lease> waiting = b.acquire(resource, RENEWING);
        Eventually.until("b waits for a", () -> isWaitingFor(b, "a"));

        long start = System.nanoTime();
        lease.release();
        Lease next = get(waiting);

        assertThat(System.nanoTime() - start).isLessThan(LEASE_TIME.toNanos() / 2);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        next.release();
    }

    @Test
    void requestsOfOneNodeAreServedInOrder() throws InterruptedException {
        Lease first = get(a.acquire(resource, RENEWING));
        CompletableFuture<Lease> second = a.acquire(resource, RENEWING);
        CompletableFuture<Lease> third = a.acquire(resource, RENEWING);

        first.release();
        Lease granted = get(second);
        assertThat(third).isNotDone();
        granted.release();
        get(third).release();
    }

    @Test
    void aCancelledRequestIsWithdrawn() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));
        CompletableFuture<Lease> cancelled = b.acquire(resource, RENEWING);
        Eventually.until("b waits for a", () -> isWaitingFor(b, "a"));

        assertThat(cancelled.cancel(true)).isTrue();
        Eventually.until("b waits no more", () -> !isWaitingFor(b, "a"));
        lease.release();

        Lease next = get(c.acquire(resource, RENEWING));
        assertThat(b.monitor().status(resource).map(LeaseStatus::state))
                .isNotEqualTo(Optional.of(LeaseStatus.State.HELD));
        next.release();
    }

    @Test
    void aRequestThatTimesOutInItsFutureIsWithdrawn() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));
        CompletableFuture<Lease> impatient = b.acquire(resource, RENEWING).orTimeout(50, TimeUnit.MILLISECONDS);

        Eventually.until("timed out", impatient::isCompletedExceptionally);
        Eventually.until("b waits no more", () -> !isWaitingFor(b, "a"));
        lease.release();
        get(c.acquire(resource, RENEWING)).release();
    }

    @Test
    void anInterruptWithdrawsTheRequest() throws InterruptedException {
        Lease lease = get(a.acquire(resource, RENEWING));
        Background<Optional<Lease>> waiting = Background.start(() -> b.tryAcquire(resource, RENEWING));
        Eventually.until("b waits for a", () -> isWaitingFor(b, "a"));

        waiting.interrupt();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseInstanceOf(InterruptedException.class);
        lease.release();
        get(c.acquire(resource, RENEWING)).release();
    }

    /** An interrupt at any moment either withdraws the request or leaves the caller with the lease; none is lost. */
    @Test
    void anInterruptNeverLeavesALeaseBehind() throws InterruptedException, ExecutionException {
        for (int i = 0; i < 100; i++) {
            Background<Optional<Lease>> asking = Background.start(() -> a.tryAcquire(resource, RENEWING));
            long spin = System.nanoTime() + i * 20_000L;
            while (System.nanoTime() < spin) {
                Thread.onSpinWait();
            }
            asking.interrupt();
            try {
                asking.result().ifPresent(Lease::release);
            } catch (ExecutionException interrupted) {
                assertThat(interrupted).hasCauseInstanceOf(InterruptedException.class);
            }
        }
        get(b.acquire(resource, RENEWING)).release();
    }

    @Test
    void cancellingAtAnyMomentNeverLeavesALeaseBehind() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Lease> asked = a.acquire(resource, RENEWING);
            long spin = System.nanoTime() + i * 20_000L;
            while (System.nanoTime() < spin) {
                Thread.onSpinWait();
            }
            if (!asked.cancel(false)) {
                get(asked).release();
            }
        }
        get(b.acquire(resource, RENEWING)).release();
    }

    @Test
    void fencingTokensIncreaseFromTenureToTenure() throws InterruptedException {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            for (PaxosLease node : new PaxosLease[] {a, b, c}) {
                Lease lease = get(node.acquire(resource, RENEWING));
                assertThat(lease.fencingToken()).isGreaterThan(last);
                last = lease.fencingToken();
                lease.release();
            }
        }
    }

    @Test
    void leasesOfDifferentResourcesAreIndependent() throws InterruptedException {
        Lease one = get(a.acquire(resource, RENEWING));
        Lease other = get(b.acquire(resource + "2", RENEWING));

        assertThat(one.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
        one.release();
        other.release();
    }

    private boolean isWaitingFor(PaxosLease node, String holder) {
        return node.monitor()
                .status(resource)
                .filter(status -> status.state() == LeaseStatus.State.WAITING)
                .filter(status -> holder.equals(status.owner()))
                .isPresent();
    }

    private static Lease get(CompletableFuture<Lease> future) throws InterruptedException {
        return Futures.get(future);
    }
}
