package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One election on a cell of one. Who else waits for the role's lease stands for the candidates of other nodes. */
@Tag("slow")
class LeaderElectionTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final PaxosLease node = PaxosLease.create(
            PaxosLeaseOptions.builder("solo").leaseTime(Duration.ofSeconds(2)).build());
    private final TestCandidate candidate = new TestCandidate();
    private final LeaderElection election = LeaderElection.builder(node, "x").build(candidate);

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        election.stop(Duration.ofSeconds(1));
        node.stop();
    }

    @Test
    void aNodeLeadsFromTheGrantToTheStop() throws InterruptedException {
        assertThat(election.isRunning()).isFalse();
        election.start();
        Leadership leadership = candidate.awaitGranted();

        assertThat(election.isRunning()).isTrue();
        assertThat(election.isLeader()).isTrue();
        assertThat(election.leadership()).contains(leadership);
        assertThat(election.leaderId()).contains("solo");
        assertThat(election.role()).isEqualTo("x");
        assertThat(leadership.role()).isEqualTo("x");
        assertThat(leadership.isLeader()).isTrue();
        assertThat(leadership.fencingToken()).isPositive();
        assertThat(leadership.remaining()).isPositive();

        assertThat(election.stop(PATIENCE)).isTrue();
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.isQuiet()).isTrue();
        assertThat(election.isRunning()).isFalse();
        assertThat(election.isLeader()).isFalse();
        assertThat(election.leadership()).isEmpty();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(leadership.remaining()).isZero();
    }

    @Test
    void aCandidateMayReturnAndLeadOn() throws InterruptedException {
        election.start();
        candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);

        Eventually.until(
                "renewed", () -> node.monitor().status("role:x").orElseThrow().renewals() >= 1);
        assertThat(election.isLeader()).isTrue();
        assertThat(other).isNotDone();
        other.cancel(true);
    }

    @Test
    void aBlockingCandidateIsInterruptedByAStop() throws InterruptedException {
        candidate.onGranted(TestCandidate::workUntilInterrupted);
        election.start();
        candidate.awaitGranted();

        assertThat(election.stop(PATIENCE)).isTrue();
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
    }

    @Test
    void aBlockingCandidateIsInterruptedWhenItResigns() throws InterruptedException {
        candidate.onGranted(TestCandidate::workUntilInterrupted);
        election.start();
        Leadership leadership = candidate.awaitGranted();

        leadership.resign();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(election.isLeader()).isFalse();
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
    }

    @Test
    void aBlockingCandidateIsInterruptedByALoss() throws InterruptedException {
        candidate.onGranted(TestCandidate::workUntilInterrupted);
        election.start();
        candidate.awaitGranted();
        node.stop();

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void aNodeThatIsStartedAgainStandsAgain() throws InterruptedException {
        election.start();
        long token = candidate.awaitGranted().fencingToken();
        node.stop();
        node.start();

        assertThat(candidate.awaitGranted().fencingToken()).isGreaterThan(token);
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
    }

    /** An interrupt that came after the candidate had finished must not reach its next call, nor the election. */
    @Test
    void anInterruptDoesNotOutliveItsTerm() throws InterruptedException {
        candidate.onGranted(leadership -> {
            leadership.resign();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });
        election.start();

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        candidate.onGranted(leadership -> {});
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(election.isLeader()).isTrue();
    }

    @Test
    void theLeaseIsReleasedAfterTheRevocation() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        candidate.onRevoked(leadership -> {
            candidate.note("is leader: " + election.isLeader());
            goOn.await(10, TimeUnit.SECONDS);
        });
        election.start();
        Leadership leadership = candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);

        election.resign();
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("is leader: false");
        assertThat(other).isNotDone();
        goOn.countDown();
        assertThat(Futures.get(other).fencingToken()).isGreaterThan(leadership.fencingToken());
    }

    @Test
    void whileTheRevocationTakesItsTimeTheLeaseIsRenewed() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        candidate.onRevoked(leadership -> goOn.await(10, TimeUnit.SECONDS));
        election.start();
        candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);
        election.resign();
        long before = node.monitor().status("role:x").orElseThrow().renewals();

        Eventually.until(
                "renewed", () -> node.monitor().status("role:x").orElseThrow().renewals() > before);
        assertThat(other).isNotDone();
        goOn.countDown();
        Futures.get(other).release();
    }

    @Test
    void whoResignsStandsBackForASecond() throws InterruptedException {
        election.start();
        candidate.awaitGranted();
        long start = System.nanoTime();
        election.resign();
        Futures.get(node.acquire("role:x", RENEWING)).release();
        candidate.awaitGranted();

        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_000));
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
    }

    @Test
    void resigningWithoutLeadingDoesNothing() throws InterruptedException {
        election.resign();
        election.start();
        Leadership leadership = candidate.awaitGranted();
        leadership.resign();
        leadership.resign();
        election.resign();

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        candidate.awaitGranted();
        leadership.resign();
        assertThat(election.isLeader()).isTrue();
    }

    @Test
    void anElectionThatIsNotStartedKnowsTheLeaderAllTheSame() throws InterruptedException {
        assertThat(election.leaderId()).isEmpty();
        assertThat(election.isLeader()).isFalse();
        election.start();
        candidate.awaitGranted();

        LeaderElection observer = LeaderElection.builder(node, "x").build(new TestCandidate());
        assertThat(observer.isLeader()).isFalse();
        assertThat(observer.leadership()).isEmpty();
    }

    @Test
    void theResourceMustBeAName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaderElection.builder(node, "x").resource("").build(candidate));
        assertThatIllegalArgumentException().isThrownBy(() -> LeaderElection.builder(node, "x")
                .resource("x".repeat(256))
                .build(candidate));
    }
}
