package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.shell.Race;
import io.paxoslease.testing.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that end in several ways at once. Time stands still, so a lease that is leaked is never free again. */
@Tag("slow")
@Tag("jdk")
class AcquireConcurrencyTest {

    private static final int ROUNDS = Race.rounds(500);
    private static final int LONGEST_MOMENT = 3_000;
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private final Race race = new Race();
    private final Map<Long, Lease> granted = new ConcurrentHashMap<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Queue<PaxosMessage.Release> released = new ConcurrentLinkedQueue<>();
    private final SplittableRandom random = new SplittableRandom();
    private volatile boolean proposed;
    private final PaxosLease node = HandEnvironment.node(new HandClock(), this::onSent);

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        race.close();
        node.stop();
    }

    @Test
    void aCancelledRequestNeverLeaksALease() throws InterruptedException {
        assertThatNothingLeaks(asked -> asked.cancel(true));
    }

    @Test
    void aRequestThatItsCallerEndsNeverLeaksALease() throws InterruptedException {
        assertThatNothingLeaks(
                asked -> asked.completeExceptionally(new LeaseTimeoutException("not waiting any longer")));
    }

    private void assertThatNothingLeaks(Consumer<CompletableFuture<Lease>> end) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            proposed = false;
            CompletableFuture<Lease> asked = node.acquire("r", RENEWING);
            race.run(
                    () -> {
                        awaitProposal(asked::isDone);
                        end.accept(asked);
                    },
                    () -> asked.handle((lease, failure) -> lease).thenAccept(AcquireConcurrencyTest::release));
            assertThat(asked).isDone();
            assertThatTheLeaseIsFree();
        }
    }

    @Test
    void anInterruptedRequestNeverLeaksALease() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            proposed = false;
            AtomicReference<Thread> caller = new AtomicReference<>();
            AtomicBoolean done = new AtomicBoolean();
            race.run(
                    () -> {
                        caller.set(Thread.currentThread());
                        try {
                            node.tryAcquire("r", RENEWING).ifPresent(Lease::release);
                        } catch (InterruptedException withdrawn) {
                            // One of the two outcomes; the other is a lease.
                        }
                        done.set(true);
                    },
                    () -> {
                        awaitProposal(done::get);
                        Thread waiting = caller.get();
                        if (waiting != null) {
                            waiting.interrupt();
                        }
                    });
            assertThatTheLeaseIsFree();
        }
    }

    /** The grant comes at any moment now: its last messages are on their way. */
    private void awaitProposal(BooleanSupplier done) {
        while (!proposed && !done.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    /** Row 21, seen from the wire: no release leaves while its lease is held, and each tenure's leaves once. */
    @Test
    void aReleaseLeavesOnceAndAfterTheHolderStopped() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Lease lease = Futures.get(node.acquire("r", RENEWING));
            granted.put(lease.fencingToken(), lease);
            race.run(
                    lease::release,
                    lease::release,
                    () -> Futures.get(lease.renew(HandEnvironment.OPTIONS.leaseTime())));
            assertThat(lease.isHeld()).isFalse();
            assertThatTheLeaseIsFree();
            granted.clear();
            assertThat(wrong).isEmpty();
            // One of this tenure, and one of the tenure that showed the lease to be free.
            assertThat(List.copyOf(released)).hasSize(2);
            released.clear();
        }
    }

    /** Users of one resource, with and without patience: each request is answered, and at most one holds at a time. */
    @Test
    void threadsOfOneNodeNeverHoldALeaseAtTheSameTime() throws InterruptedException {
        List<Lease> holders = new ArrayList<>();
        Race.Part user = () -> {
            Lease lease = Futures.get(node.acquire("r", RENEWING));
            synchronized (holders) {
                holders.removeIf(other -> !other.isHeld());
                assertThat(holders).isEmpty();
                holders.add(lease);
            }
            lease.release();
        };
        for (int round = 0; round < ROUNDS; round++) {
            race.run(user, user, user);
        }
    }

    private void onSent(Message message) {
        if (message instanceof PaxosMessage.Propose) {
            proposed = true;
            waitAMoment();
        }
        if (message instanceof PaxosMessage.Release release) {
            released.add(release);
            granted.forEach((token, lease) -> {
                if (lease.isHeld()) {
                    wrong.add(release + " left while " + lease + " was held");
                }
            });
        }
    }

    /** So that what the proposal set off comes before the grant, with it, or after it. */
    private void waitAMoment() {
        int moment = random.nextInt(LONGEST_MOMENT);
        for (int i = 0; i < moment; i++) {
            Thread.onSpinWait();
        }
    }

    private void assertThatTheLeaseIsFree() throws InterruptedException {
        Lease next = Futures.get(node.acquire("r", RENEWING));
        assertThat(next.isHeld()).isTrue();
        next.release();
        assertThat(node.monitor().status("r").map(LeaseStatus::state)).isNotEqualTo(LeaseStatus.State.HELD);
    }

    private static void release(@Nullable Lease lease) {
        if (lease != null) {
            lease.release();
        }
    }
}
