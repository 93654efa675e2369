package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.testing.FailingAppender;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCandidate;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Candidates that throw. */
@Tag("slow")
class LeaderElectionFaultTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("solo").build());
    private final TestCandidate candidate = new TestCandidate();
    private final LeaderElection election = LeaderElection.builder(node, "x").build(candidate);
    private LogCapture log;

    @BeforeEach
    void start() {
        log = LogCapture.of(LeaderElection.class);
        node.start();
    }

    @AfterEach
    void stop() {
        election.stop(Duration.ofSeconds(1));
        node.stop();
        log.close();
    }

    @Test
    void aCandidateThatFailsIsRevokedAndAnotherLeads() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new IllegalStateException("cannot lead");
        });
        election.start();
        candidate.awaitGranted();
        Lease other = Futures.get(node.acquire("role:x", RENEWING));

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(election.isLeader()).isFalse();
        assertThat(election.isRunning()).isTrue();
        assertThat(log.lines())
                .anyMatch(line -> line.matches("INFO Node 'solo' leads role 'x' \\(fencing token \\d+\\)"))
                .contains(
                        "ERROR The candidate for role 'x' failed: giving up its leadership",
                        "INFO Node 'solo' no longer leads role 'x' (CANDIDATE_FAILED)");
        other.release();
    }

    @Test
    void anInterruptThatTheCandidateLeavesBehindDoesNotShortenTheTimeOfStandingBack() throws InterruptedException {
        candidate.onRevoked(leadership -> Thread.currentThread().interrupt());
        election.start();
        candidate.awaitGranted();
        long resigned = System.nanoTime();
        election.resign();
        candidate.awaitGranted();

        assertThat(System.nanoTime() - resigned).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
    }

    @Test
    void aCandidateThatFailedStandsBackLongerThanASecond() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new AssertionError("cannot lead");
        });
        long before = System.nanoTime();
        election.start();
        candidate.awaitGranted();
        candidate.onGranted(leadership -> {});
        candidate.awaitGranted();

        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_900));
        assertThat(election.isLeader()).isTrue();
    }

    @Test
    void aCandidateThatFailsWhenItIsRevokedReleasesAllTheSame() throws InterruptedException {
        candidate.onRevoked(leadership -> {
            throw new IllegalStateException("cannot stop");
        });
        election.start();
        candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);

        assertThat(election.stop(Duration.ofSeconds(10))).isTrue();
        Futures.get(other).release();
        assertThat(log.warnings("failed in its revocation"))
                .containsExactly("ERROR The candidate for role 'x' failed in its revocation");
    }

    @Test
    void anInterruptFromElsewhereIsAResignation() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new InterruptedException("from elsewhere");
        });
        election.start();
        candidate.awaitGranted();
        candidate.onGranted(leadership -> {});

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
    }

    @Test
    void aFailureAfterTheLossIsNotBlamedOnTheNextTerm() throws InterruptedException {
        candidate.onGranted(leadership -> {
            try {
                TestCandidate.workUntilInterrupted(leadership);
            } finally {
                candidate.note("leading: " + leadership.isLeader());
            }
        });
        election.start();
        candidate.awaitGranted();
        node.stop();
        node.start();

        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(candidate.next()).isEqualTo("leading: false");
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(candidate.next()).isEqualTo("granted");
        assertThat(log.lines()).contains("INFO Node 'solo' no longer leads role 'x' (LOST: STOPPED)");
    }

    /** Whatever goes wrong on the election's thread, it does not go on leading with no thread to end it. */
    @Test
    void anErrorOnTheElectionsThreadGivesTheLeadershipUpAndTheRoleIsContestedAgain() throws InterruptedException {
        AtomicInteger planted = new AtomicInteger(1);
        try (FailingAppender appender = FailingAppender.on(
                LeaderElection.class, line -> line.contains("leads role") && planted.getAndDecrement() > 0)) {
            election.start();
            candidate.awaitGranted();

            assertThat(appender.failures()).isEqualTo(1);
            assertThat(candidate.next()).isEqualTo("granted");
            assertThat(election.isLeader()).isTrue();
            log.await("ERROR The thread of the election for role 'x' found a fault");
        }
    }

    @Test
    void anErrorWhileTheEndIsToldStillRevokesAndReleases() throws InterruptedException {
        AtomicInteger planted = new AtomicInteger(1);
        try (FailingAppender appender = FailingAppender.on(
                LeaderElection.class, line -> line.contains("no longer leads") && planted.getAndDecrement() > 0)) {
            election.start();
            candidate.awaitGranted();
            CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);
            election.resign();

            assertThat(candidate.next()).isEqualTo("granted");
            assertThat(candidate.next()).isEqualTo("revoked");
            Futures.get(other).release();
            assertThat(appender.failures()).isEqualTo(1);
            candidate.awaitGranted();
        }
    }

    @Test
    void aCandidateThatRunsOutOfMemoryWhenItIsRevokedReleasesAllTheSame() throws InterruptedException {
        candidate.onRevoked(leadership -> {
            throw new OutOfMemoryError("Java heap space");
        });
        election.start();
        candidate.awaitGranted();
        CompletableFuture<Lease> other = node.acquire("role:x", RENEWING);

        assertThat(election.stop(Duration.ofSeconds(10))).isTrue();
        Futures.get(other).release();
    }

    /** A later call of start may get a thread. Until then this node does not contest the role. */
    @Test
    void anElectionThatGetsNoThreadSaysSoAndCanBeStartedAgain() throws InterruptedException {
        ThreadTaker taker = new ThreadTaker(node);
        node.monitor().addObserver(taker);
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(election::start);

            assertThat(election.isRunning()).isFalse();
            assertThat(election.isLeader()).isFalse();
            assertThat(LeaderElection.on(node)).isEmpty();
            assertThat(node.monitor().resources()).isEmpty();
        }
        assertThat(election.stop(Duration.ofSeconds(10))).isTrue();
        node.monitor().removeObserver(taker);
        assertThat(candidate.isQuiet()).isTrue();

        election.start();
        candidate.awaitGranted();
        assertThat(LeaderElection.on(node)).containsExactly(election);
        assertThat(election.isLeader()).isTrue();
    }

    /** Replaces the thread of an election that starts by one that the process has no room for. */
    private static final class ThreadTaker implements NodeObserver {

        private final PaxosLease node;

        ThreadTaker(PaxosLease node) {
            this.node = node;
        }

        @Override
        public void candidateAdded(String role) {
            LeaderElection election = LeaderElection.on(node).get(0);
            try {
                Field candidacy = LeaderElection.class.getDeclaredField("candidacy");
                candidacy.setAccessible(true);
                Field thread = Candidacy.class.getDeclaredField("thread");
                thread.setAccessible(true);
                thread.set(candidacy.get(election), new Thread("no room") {
                    @Override
                    public synchronized void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                });
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("an election does not show its thread", e);
            }
        }
    }
}
