package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How leases of a cell of three end, are renewed, and what their listeners are told. */
@Tag("slow")
class LeaseTest {

    private static final Duration LEASE_TIME = Duration.ofMillis(1_500);
    private static final Duration SHORT = Duration.ofMillis(100);

    private static TestCell cell;
    private static PaxosLease a;
    private static PaxosLease b;

    private final String resource = "r-" + UUID.randomUUID();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() {
        cell = TestCell.started(LEASE_TIME);
        a = cell.node("a");
        b = cell.node("b");
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @Test
    void aFixedLeaseExpiresAndItsListenersAreTold() throws InterruptedException {
        long asked = System.nanoTime();
        Lease lease = acquire(a, AcquireOptions.fixed(SHORT));
        lease.onLost((lost, reason) -> told.add(lost.resource() + " " + reason + " " + lost.isHeld()));
        lease.onLost((lost, reason) -> told.add("second " + reason));

        assertThat(next()).isEqualTo(resource + " EXPIRED false");
        assertThat(next()).isEqualTo("second EXPIRED");
        assertThat(System.nanoTime() - asked).isGreaterThan(SHORT.toNanos() / 2);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void aListenerThatComesTooLateIsToldAtOnce() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.fixed(SHORT));
        lease.onLost((lost, reason) -> told.add("first"));
        assertThat(next()).isEqualTo("first");

        lease.onLost((lost, reason) -> told.add("late " + reason));
        assertThat(next()).isEqualTo("late EXPIRED");
    }

    @Test
    void anotherNodeGetsALeaseThatExpired() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.fixed(SHORT));
        Lease next = acquire(b, AcquireOptions.renewing());

        assertThat(lease.isHeld()).isFalse();
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        next.release();
    }

    @Test
    void aRenewedLeaseOutlivesManyLeaseTimes() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.renewing());
        long token = lease.fencingToken();

        Eventually.until("renewed six times", () -> renewals() >= 6);

        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.fencingToken()).isEqualTo(token);
        assertThat(b.tryAcquire(
                        resource,
                        AcquireOptions.builder().maxWait(Duration.ZERO).build()))
                .isEmpty();
        lease.release();
    }

    @Test
    void aLeaseTimeOfItsOwnIsRenewedToo() throws InterruptedException {
        Lease lease = acquire(
                a,
                AcquireOptions.builder()
                        .leaseTime(LEASE_TIME.multipliedBy(2).dividedBy(3))
                        .build());

        Eventually.until("renewed four times", () -> renewals() >= 4);
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void renewingExtendsAFixedLease() throws InterruptedException {
        Duration half = LEASE_TIME.dividedBy(2); // within which the cell has to answer
        Lease lease = acquire(a, AcquireOptions.fixed(half));

        assertThat(Futures.get(lease.renew(LEASE_TIME))).isTrue();
        assertThat(lease.remaining()).isGreaterThan(half).isLessThan(LEASE_TIME);
        lease.release();
    }

    @Test
    void renewingForAShorterTimeShortensNothing() throws InterruptedException {
        Duration shorter = LEASE_TIME.dividedBy(3); // within which the cell has to answer
        Lease lease = acquire(a, AcquireOptions.fixed(LEASE_TIME));

        assertThat(Futures.get(lease.renew(shorter))).isTrue();
        assertThat(lease.remaining()).isGreaterThan(shorter);
        lease.release();
    }

    @Test
    void aLeaseThatIsOverIsNotRenewed() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.renewing());
        lease.release();
        assertThat(Futures.get(lease.renew(SHORT))).isFalse();

        Lease expired = acquire(a, AcquireOptions.fixed(SHORT));
        expired.onLost((lost, reason) -> told.add("lost"));
        assertThat(next()).isEqualTo("lost");
        assertThat(Futures.get(expired.renew(SHORT))).isFalse();
        assertThat(expired.isHeld()).isFalse();
    }

    @Test
    void theTimeOfARenewalIsWithinBounds() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.renewing());

        assertThatIllegalArgumentException().isThrownBy(() -> lease.renew(LEASE_TIME.plusNanos(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> lease.renew(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> lease.renew(Duration.ofSeconds(-1)));
        assertThat(lease.isHeld()).isTrue();
        lease.release();
    }

    @Test
    void releasingTwiceDoesNoHarmToTheNextHolder() throws InterruptedException {
        Lease lease = acquire(a, AcquireOptions.renewing());
        lease.release();
        Lease next = acquire(a, AcquireOptions.renewing());

        lease.release();
        lease.onLost((lost, reason) -> told.add("old"));
        assertThat(b.tryAcquire(
                        resource,
                        AcquireOptions.builder().maxWait(Duration.ZERO).build()))
                .isEmpty();
        assertThat(next.isHeld()).isTrue();
        next.release();
        assertThat(told).isEmpty();
    }

    @Test
    void aReleasedLeaseIsNotReportedAsLost() throws InterruptedException {
        Lease released = acquire(a, AcquireOptions.fixed(LEASE_TIME));
        released.onLost((lost, reason) -> told.add("released"));
        released.release();
        Lease expires = acquire(a, AcquireOptions.fixed(SHORT));
        expires.onLost((lost, reason) -> told.add("expired"));

        assertThat(next()).isEqualTo("expired");
        assertThat(told).isEmpty();
    }

    @Test
    void aListenerThatFailsIsLoggedAndTheNextOneIsTold() throws InterruptedException {
        try (LogCapture log = LogCapture.ofNode()) {
            Lease lease = acquire(a, AcquireOptions.fixed(SHORT));
            lease.onLost((lost, reason) -> {
                throw new IllegalStateException("broken listener");
            });
            lease.onLost((lost, reason) -> told.add("second " + reason));

            assertThat(next()).isEqualTo("second EXPIRED");
            assertThat(log.warnings("A listener failed")).hasSize(1);
        }
    }

    /** One listener hangs, on the only callback thread there is: leases are renewed and granted all the same. */
    @Test
    void aListenerThatHangsDelaysNoRenewal() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Lease renewed = acquire(a, AcquireOptions.renewing());
        Lease lost = Futures.get(a.acquire(resource + "2", AcquireOptions.fixed(SHORT)));
        lost.onLost((lease, reason) -> {
            hanging.countDown();
            awaitUninterruptibly(release);
        });
        assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();
        long before = renewals();

        Eventually.until("renewed four times more", () -> renewals() >= before + 4);
        assertThat(renewed.isHeld()).isTrue();
        Optional<Lease> another = a.tryAcquire(resource + "3", AcquireOptions.renewing());
        assertThat(another).isPresent();

        release.countDown();
        renewed.release();
        another.orElseThrow().release();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long renewals() {
        return a.monitor().status(resource).map(LeaseStatus::renewals).orElse(0L);
    }

    private Lease acquire(PaxosLease node, AcquireOptions how) throws InterruptedException {
        CompletableFuture<Lease> lease = node.acquire(resource, how);
        return Futures.get(lease);
    }

    private String next() throws InterruptedException {
        return String.valueOf(told.poll(10, TimeUnit.SECONDS));
    }
}
