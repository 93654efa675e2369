package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.node.HandClock;
import io.paxoslease.node.HandEnvironment;
import io.paxoslease.node.HeldLease;
import io.paxoslease.shell.Race;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that only the leader may make, on a node whose leases end only when something ends them. */
class GuardedCallTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final PaxosLease node = HandEnvironment.node(new HandClock(), message -> {});
    private final TestCandidate candidate = new TestCandidate();
    private final LeaderElection election = LeaderElection.builder(node, "x").build(candidate);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void lead() throws InterruptedException {
        node.start();
        election.start();
        candidate.awaitGranted();
        candidate.next();
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        election.stop(Duration.ofSeconds(1));
        node.stop();
    }

    private GuardedCall enter(boolean interrupt) {
        return election.enter(interrupt).orElseThrow();
    }

    @Test
    void insideOfACallTheLeadershipIsAtHandAndOutsideItIsNot() {
        assertNoCurrentLeadership();
        try (GuardedCall call = enter(true)) {
            assertThat(Leadership.current()).isSameAs(call.leadership());
            assertThat(Leadership.current().role()).isEqualTo("x");
            assertThat(Leadership.current().fencingToken()).isPositive();
            assertThat(Leadership.current().remaining()).isPositive();
            Leadership.current().check();
            try (GuardedCall inner = enter(true)) {
                assertThat(Leadership.current()).isSameAs(inner.leadership());
            }
            assertThat(Leadership.current()).isSameAs(call.leadership());
        }
        assertNoCurrentLeadership();
    }

    private static void assertNoCurrentLeadership() {
        assertThatIllegalStateException()
                .isThrownBy(Leadership::current)
                .withMessageContaining("ask inside of an @OnLeader method");
    }

    @Test
    void whoeverDoesNotLeadIsNotLetIn() throws InterruptedException {
        election.resign();
        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(election.enter(true)).isEmpty();
        assertNoCurrentLeadership();
    }

    @Test
    void aCallMayAskWhetherItsLeadershipLasts() {
        try (GuardedCall call = enter(false)) {
            election.resign();
            assertThatExceptionOfType(NotLeaderException.class)
                    .isThrownBy(() -> call.leadership().check())
                    .withMessage("This node's leadership of the role 'x' has ended: RESIGNED")
                    .satisfies(refusal -> assertThat(refusal.role()).isEqualTo("x"));
        }
    }

    @Test
    void theEndOfLeadershipInterruptsACallOnceAndTheFlagEndsWithIt() {
        try (GuardedCall call = enter(true)) {
            try (GuardedCall inner = enter(true)) {
                election.resign();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(Thread.interrupted()).isFalse();
                assertThat(inner.wasInterrupted()).isFalse();
            }
            assertThat(call.wasInterrupted()).isTrue();
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptThatNobodyHeardDoesNotReachWhatComesAfterTheCall() {
        try (GuardedCall call = enter(true)) {
            election.resign();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(call.wasInterrupted()).isTrue();
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptOfSomebodyElseStays() {
        try (GuardedCall call = enter(true)) {
            Thread.currentThread().interrupt();
            election.resign();
            assertThat(call.wasInterrupted()).isTrue();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aCallThatDoesNotWantToBeInterruptedIsNot() {
        try (GuardedCall call = enter(false)) {
            election.resign();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(call.wasInterrupted()).isFalse();
            assertThat(call.leadership().isLeader()).isFalse();
        }
    }

    @Test
    void theInterruptionOfAnInnerCallAloneIsPossible() {
        try (GuardedCall call = enter(false)) {
            try (GuardedCall inner = enter(true)) {
                election.resign();
                assertThat(inner.wasInterrupted()).isTrue();
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(call.wasInterrupted()).isFalse();
        }
    }

    @Test
    void anInnerCallOfAnotherRoleDoesNotClearTheInterruptOfTheOuterOne() throws InterruptedException {
        TestCandidate other = new TestCandidate();
        try (LeaderElection innerElection = LeaderElection.builder(node, "y").build(other)) {
            innerElection.start();
            other.awaitGranted();
            try (GuardedCall call = enter(true)) {
                try (GuardedCall inner = innerElection.enter(true).orElseThrow()) {
                    innerElection.resign();
                    election.resign();
                    assertThat(inner.wasInterrupted()).isTrue();
                }
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                assertThat(call.wasInterrupted()).isTrue();
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void aLeadershipThatIsGivenUpIsReleasedAfterItsCallsHaveEnded() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Lease> next = node.acquire("role:x", AcquireOptions.renewing());
        Future<?> call = callThatWaitsFor(goOn);
        election.resign();

        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(election.isLeader()).isFalse();
        assertThat(node.monitor().status("role:x").orElseThrow().state()).isEqualTo(LeaseStatus.State.HELD);
        assertThat(next).isNotDone();
        goOn.countDown();
        call.get(10, TimeUnit.SECONDS);
        assertThat(next.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void aStopWaitsForCallsAsLongAsItWasAskedTo() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> call = callThatWaitsFor(goOn);

        assertThat(election.stop(Duration.ofMillis(50))).isFalse();
        assertThat(node.tryAcquire("role:x", AcquireOptions.renewing())).isPresent();
        assertThat(call).isNotDone();
        goOn.countDown();
        call.get(10, TimeUnit.SECONDS);
        Eventually.until("the election has ended", () -> election.stop(Duration.ZERO));
    }

    @Test
    void aLeadershipThatIsLostDoesNotWaitForItsCalls() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> call = callThatWaitsFor(goOn);
        node.stop();

        assertThat(candidate.next()).isEqualTo("revoked");
        assertThat(election.stop(PATIENCE)).isTrue();
        assertThat(call).isNotDone();
        goOn.countDown();
        call.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aCallKnowsWhetherItHasOutlivedItsLease() {
        GuardedCall inTime = enter(false);
        election.resign();
        assertThat(inTime.hasOutlivedItsLease()).isFalse();
        inTime.close();
        Eventually.until(
                "the lease is released", () -> node.monitor().status("role:x").isEmpty());
        assertThat(inTime.hasOutlivedItsLease()).isFalse();
    }

    @Test
    void aCallThatALossOvertookHasOutlivedItsLease() {
        try (GuardedCall call = enter(false)) {
            node.stop();
            assertThat(call.hasOutlivedItsLease()).isTrue();
        }
    }

    @Test
    void aLossWhileCallsAreWaitedForEndsTheWait() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Future<?> call = callThatWaitsFor(goOn);
        election.resign();
        assertThat(candidate.next()).isEqualTo("revoked");
        node.stop();

        assertThat(election.stop(PATIENCE)).isTrue();
        goOn.countDown();
        call.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aCallMayStopItsOwnElection() {
        try (GuardedCall call = enter(true)) {
            assertThat(election.stop(PATIENCE)).isTrue();
            assertThat(call.wasInterrupted()).isFalse();
            assertThat(call.leadership().isLeader()).isFalse();
        }
        assertThat(election.isRunning()).isFalse();
    }

    /** The candidate's thread is interrupted for its own sake, and a call that it makes adds nothing to that. */
    @Test
    void aCallOfTheCandidateIsInterruptedWithIt() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(1);
        TestCandidate worker = new TestCandidate().onGranted(leadership -> {
            try (GuardedCall call = guardedBy(leadership)) {
                working.countDown();
                TestCandidate.workUntilInterrupted(call.leadership());
            }
        });
        LeaderElection other = LeaderElection.builder(node, "y").build(worker);
        elected = other;
        other.start();
        assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(other.stop(PATIENCE)).isTrue();
        assertThat(worker.next()).isEqualTo("granted");
        assertThat(worker.next()).isEqualTo("revoked");
    }

    /** Both end at the same time, as when a node is cut off: the interrupt of the candidate must not go with the inner call's. */
    @Test
    void theEndOfAnInnerCallOfAnotherRoleLeavesTheCandidatesInterruptAlone() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        TestCandidate worker = new TestCandidate().onGranted(leadership -> {
            assertThat(Leadership.current()).isSameAs(leadership);
            try (GuardedCall call = enter(true)) {
                working.countDown();
                awaitUninterruptibly(lost);
                assertThat(call.leadership().isLeader()).isFalse();
            }
            TestCandidate.workUntilInterrupted(leadership);
        });
        LeaderElection other = LeaderElection.builder(node, "y").build(worker);
        other.start();
        assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();
        election.resign();
        Leadership outer = worker.awaitGranted();
        outer.resign();
        lost.countDown();

        assertThat(worker.next()).isEqualTo("granted");
        assertThat(worker.next()).isEqualTo("revoked");
        assertThat(other.stop(PATIENCE)).isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private volatile LeaderElection elected = election;

    private GuardedCall guardedBy(Leadership leadership) {
        assertThat(leadership.isLeader()).isTrue();
        return elected.enter(true).orElseThrow();
    }

    @Test
    void aCallEndsOnceAndOnItsOwnThread() {
        GuardedCall call = enter(true);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> threads.submit(call::close).get(10, TimeUnit.SECONDS))
                .withMessageContaining("ends on the thread that began it");
        call.close();
        call.close();
        assertNoCurrentLeadership();
    }

    /** Rounds of an end that meets calls which come and go. */
    @Test
    void noInterruptReachesAThreadThatHasLeft() throws InterruptedException {
        HeldLease lease =
                (HeldLease) node.tryAcquire("race", AcquireOptions.renewing()).orElseThrow();
        try (Race race = new Race()) {
            for (int round = 0; round < Race.rounds(2_000); round++) {
                ElectedTerm term = new ElectedTerm("race", lease);
                Race.Part caller = () -> {
                    for (int i = 0; i < 20; i++) {
                        GuardedCall call = GuardedCall.enter(term, true);
                        if (call != null) {
                            call.close();
                        }
                        assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    }
                };
                race.run(caller, caller, () -> term.end(ElectedTerm.End.RESIGNED, PATIENCE));
                term.guard().awaitParts();
            }
        }
    }

    private Future<?> callThatWaitsFor(CountDownLatch latch) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        Future<?> running = threads.submit(() -> {
            try (GuardedCall call = enter(false)) {
                call.leadership().check();
                inside.countDown();
                latch.await();
            }
            return null;
        });
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        return running;
    }
}
