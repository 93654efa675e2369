package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.TestLeases;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Elections that stop and start, with candidates that do not always cooperate. */
@Tag("slow")
@Tag("jdk")
class LeaderElectionStopTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration BRIEFLY = Duration.ofMillis(50);

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private final TestCandidate candidate = new TestCandidate();
    private final LeaderElection election = LeaderElection.builder(node, "x").build(candidate);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        goOn.countDown();
        election.stop(Duration.ofSeconds(1));
        node.stop();
    }

    @Test
    void stoppingWaitsForAHangingCandidateAsLongAsAskedFor() throws InterruptedException {
        candidate.onGranted(leadership -> hang());
        election.start();
        candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);
        long start = System.nanoTime();

        assertThat(election.stop(BRIEFLY)).isFalse();

        assertThat(System.nanoTime() - start).isBetween(BRIEFLY.toNanos() / 2, TimeUnit.SECONDS.toNanos(5));
        assertThat(election.isLeader()).isFalse();
        assertThat(election.isRunning()).isFalse();
        Futures.get(other).release();
    }

    @Test
    void stoppingReleasesTheLeaseAlsoWhenTheCandidateHangsInItsRevocation() throws InterruptedException {
        candidate.onRevoked(leadership -> hang());
        election.start();
        assertThat(candidate.next()).isEqualTo("granted");
        election.resign();
        assertThat(candidate.next()).isEqualTo("revoked");
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);

        assertThat(election.stop(BRIEFLY)).isFalse();

        Futures.get(other).release();
    }

    @Test
    void aSecondStopWaitsForTheSameCandidate() throws InterruptedException {
        candidate.onGranted(leadership -> hang());
        election.start();
        candidate.awaitGranted();

        assertThat(election.stop(BRIEFLY)).isFalse();
        assertThat(election.stop(BRIEFLY)).isFalse();
        goOn.countDown();
        assertThat(election.stop(PATIENCE)).isTrue();
    }

    /** The lease is in doubt just when it is taken away from a candidate that hangs: nobody may have it back afterwards. */
    @Test
    void aLeaseInDoubtIsReleasedToo() throws InterruptedException {
        CountDownLatch released = new CountDownLatch(1);
        HeldLease lease = (HeldLease) Futures.get(node.acquire("role:y", RENEWING));
        CompletableFuture<Lease> other = node.acquire("role:y", RENEWING);
        other.thenRun(released::countDown);
        ElectedTerm term = new ElectedTerm("y", lease);
        TestLeases.suspect(lease);

        term.end(ElectedTerm.End.RESIGNED, BRIEFLY);

        assertThat(released.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anElectionMayBeStartedAgain() throws InterruptedException {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            election.start();
            Leadership leadership = candidate.awaitGranted();
            assertThat(leadership.fencingToken()).isGreaterThan(last);
            last = leadership.fencingToken();
            assertThat(election.stop(PATIENCE)).isTrue();
            assertThat(candidate.next()).isEqualTo("granted");
            assertThat(candidate.next()).isEqualTo("revoked");
        }
    }

    @Test
    void startingTwiceOrStoppingTwiceDoesNothing() throws InterruptedException {
        assertThat(election.stop(PATIENCE)).isTrue();
        election.start();
        election.start();
        candidate.awaitGranted();
        assertThat(election.stop(PATIENCE)).isTrue();
        assertThat(election.stop(PATIENCE)).isTrue();
        election.close();
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.isQuiet()).isTrue();
    }

    @Test
    void aWaitOfAnyLengthIsAccepted() throws InterruptedException {
        for (Duration timeout :
                new Duration[] {PATIENCE, Duration.ofDays(100_000), Duration.ofSeconds(Long.MAX_VALUE)}) {
            election.start();
            candidate.awaitGranted();
            assertThat(election.stop(timeout)).isTrue();
        }
    }

    @Test
    void aNewTermWaitsForAHangingCandidateOfTheLast() throws InterruptedException {
        candidate.onGranted(leadership -> hang());
        election.start();
        candidate.awaitGranted();
        assertThat(election.stop(BRIEFLY)).isFalse();

        election.start();
        candidate.onGranted(leadership -> {});
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.nextWithin(Duration.ofMillis(300))).isEqualTo("null");
        goOn.countDown();
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
    }

    /** The same, but a start and a stop come in between. */
    @Test
    void aNewTermWaitsForAHangingCandidateOfAnyTermBefore() throws InterruptedException {
        candidate.onGranted(leadership -> hang());
        election.start();
        candidate.awaitGranted();
        assertThat(election.stop(BRIEFLY)).isFalse();
        election.start();
        assertThat(election.stop(BRIEFLY))
                .as("the candidate is still with the first")
                .isFalse();

        election.start();
        candidate.onGranted(leadership -> {});
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.nextWithin(Duration.ofMillis(300)))
                .as("a call while another one hangs")
                .isEqualTo("null");
        goOn.countDown();
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
    }

    @Test
    void aCandidateMayStopItsOwnElection() throws InterruptedException {
        candidate.onGranted(leadership -> candidate.note("stopped: " + election.stop(PATIENCE)));
        election.start();

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("stopped: true");
        assertThat(candidate.next()).isEqualTo("revoked");
        Futures.get(node.acquire("role:x", RENEWING)).release();
        assertThat(election.isRunning()).isFalse();
    }

    @Test
    void stoppingWhileWaitingForTheLeaseWithdrawsTheRequest() throws InterruptedException {
        Lease other = Futures.get(node.acquire("role:x", RENEWING));
        election.start();
        assertThat(election.stop(PATIENCE)).isTrue();
        other.release();

        Futures.get(node.acquire("role:x", RENEWING)).release();
        assertThat(candidate.isQuiet()).isTrue();
    }

    @Test
    void stoppingAtAnyMomentLeavesNoLeaseBehind() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            election.start();
            long spin = System.nanoTime() + i * 10_000L;
            while (System.nanoTime() < spin) {
                Thread.onSpinWait();
            }
            assertThat(election.stop(PATIENCE)).isTrue();
        }
        Futures.get(node.acquire("role:x", RENEWING)).release();
        while (!candidate.isQuiet()) {
            // Where the stop comes just before the call, the interrupt is there at its start.
            assertThat(candidate.next()).startsWith("granted");
            assertThat(candidate.next()).isEqualTo("revoked");
        }
    }

    @Test
    void anInterruptedStopStillStops() throws Exception {
        candidate.onRevoked(leadership -> hang());
        election.start();
        candidate.awaitGranted();
        Background<Optional<Boolean>> stopping = Background.start(() -> {
            Thread.currentThread().interrupt();
            election.stop(PATIENCE);
            return Optional.of(Thread.currentThread().isInterrupted());
        });

        assertThat(stopping.result()).contains(true);
        assertThat(election.isLeader()).isFalse();
        assertThat(election.isRunning()).isFalse();
    }

    @Test
    void anElectionWaitsForANodeThatIsNotRunning() throws InterruptedException {
        node.stop();
        election.start();
        assertThat(election.isLeader()).isFalse();
        assertThat(election.leaderId()).isEmpty();
        node.start();

        candidate.awaitGranted();
        assertThat(election.isLeader()).isTrue();
    }

    /** Ignores interrupts, as careless code does. */
    private void hang() {
        boolean interrupted = false;
        while (goOn.getCount() > 0) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
