package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the options of an election do, on a clock that is moved by hand. */
@Timeout(60) // a test hangs if it does not move the clock
class LeaderElectionOptionsTest {

    private static final String RESOURCE = "role:x";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);
    /** Who waits tries again soon after an expiry, not at the very instant. */
    private static final Duration ANOTHER_TRY = Duration.ofMillis(50);

    private static final ElectionOptions DEFAULTS = ElectionOptions.defaults();

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final TestCandidate candidate = new TestCandidate();
    private final List<LeaderElection> elections = new ArrayList<>();
    private final LogCapture quiet = LogCapture.of(LeaderElection.class); // failures are what is tested

    @AfterEach
    void stop() {
        elections.forEach(each -> each.stop(SECOND));
        cell.close();
        quiet.close();
    }

    @Test
    void aLeaseTimeAboveTheCellsMaximumIsRefused() {
        Duration longest = cell.node("a").monitor().options().maxLeaseTime();
        assertThat(election("a", DEFAULTS.toBuilder().leaseTime(longest).build())
                        .role())
                .isEqualTo("x-a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> election(
                        "a",
                        DEFAULTS.toBuilder().leaseTime(longest.plusNanos(1)).build()))
                .withMessageContainingAll("'x-a'", longest.plusNanos(1).toString(), "raise maxLeaseTime");
    }

    @Test
    void theOthersWaitForTheRolesLeaseTimeWhenTheLeaderHasCrashed() throws InterruptedException {
        assertThat(waitAfterCrash(SECOND)).isBetween(Duration.ofMillis(600), SECOND.plus(ANOTHER_TRY));
    }

    @Test
    void withoutOneTheyWaitForTheNodesLeaseTime() throws InterruptedException {
        assertThat(waitAfterCrash(null))
                .isBetween(Duration.ofMillis(1_800), PaxosLeaseOptions.DEFAULT_LEASE_TIME.plus(ANOTHER_TRY));
    }

    /** How long, in steps of ten milliseconds, another node waits for the lease of a leader that crashes. */
    private Duration waitAfterCrash(@Nullable Duration leaseTime) throws InterruptedException {
        start("a", DEFAULTS.toBuilder().leaseTime(leaseTime).build());
        candidate.awaitGranted();
        CompletableFuture<Lease> other = cell.node("b").acquire(RESOURCE, AcquireOptions.renewing());
        cell.advance(Duration.ofMinutes(1));
        assertThat(other).isNotDone();
        cell.crash("a");
        Duration waited = Duration.ZERO;
        while (!other.isDone()) {
            cell.advance(Duration.ofMillis(10));
            waited = waited.plusMillis(10);
        }
        return waited;
    }

    @Test
    void whoResignedStandsBackForTheCoolDown() throws InterruptedException {
        LeaderElection election =
                start("a", DEFAULTS.toBuilder().coolDown(Duration.ofMinutes(5)).build());
        long first = candidate.awaitGranted().fencingToken();
        election.resign();
        awaitPausing("x-a");
        cell.advance(Duration.ofMinutes(5).minus(MILLI));
        assertThat(isPausing("x-a")).isTrue();
        cell.advance(MILLI);

        assertThat(seconds(candidate.awaitGranted().fencingToken() - first)).isEqualTo(300);
    }

    @Test
    void withoutACoolDownWhoResignedStandsAgainAtOnce() throws InterruptedException {
        LeaderElection election =
                start("a", DEFAULTS.toBuilder().coolDown(Duration.ZERO).build());
        long first = candidate.awaitGranted().fencingToken();
        election.resign();

        assertThat(candidate.awaitGranted().fencingToken() - first).isBetween(1L, 10L);
    }

    @Test
    void theBackOffDoublesWithEachFailureUpToThirtySeconds() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new IllegalStateException("cannot lead");
        });
        start("a", DEFAULTS);
        assertThat(pausesBetweenGrants(2, 4, 8, 16, 30, 30)).containsExactly(2L, 4L, 8L, 16L, 30L, 30L);
    }

    @Test
    void aSuccessEndsTheDoubling() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new IllegalStateException("cannot lead");
        });
        LeaderElection election = start("a", DEFAULTS);
        assertThat(pausesBetweenGrants(2, 4)).containsExactly(2L, 4L);
        awaitPausing("x-a");
        candidate.onGranted(leadership -> {});
        cell.advance(Duration.ofSeconds(8));
        Leadership success = candidate.awaitGranted();
        // Until the call has returned, its failure is still possible.
        Eventually.until("it waits for the end", () -> isWaitingIn("x-a", "awaitEnd"));
        candidate.onGranted(leadership -> {
            throw new IllegalStateException("cannot lead");
        });
        election.resign();
        assertThat(success.isLeader()).isFalse();
        awaitPausing("x-a");
        cell.advance(SECOND);
        assertThat(pausesBetweenGrants(2)).containsExactly(2L);
    }

    @Test
    void aCoolDownThatIsLongerThanTheBackOffHoldsAfterAFailureToo() throws InterruptedException {
        candidate.onGranted(leadership -> {
            throw new IllegalStateException("cannot lead");
        });
        start("a", DEFAULTS.toBuilder().coolDown(Duration.ofSeconds(3)).build());
        assertThat(pausesBetweenGrants(3, 4)).containsExactly(3L, 4L);
    }

    @Test
    void whoIsNotGrantedTheLeaseIsToldEachTimeThatSoLongHasPassed() throws InterruptedException {
        Lease other =
                cell.node("b").acquire(RESOURCE, AcquireOptions.renewing()).join();
        Semaphore reports = new Semaphore(0);
        start("a", DEFAULTS.toBuilder().reportEvery(Duration.ofMillis(700)).build(), new Reported(reports));
        for (int report = 1; report <= 5; report++) {
            awaitAsking();
            cell.advance(Duration.ofMillis(699));
            assertThat(isWaitingIn("x-a", "await")).isTrue();
            assertThat(reports.availablePermits()).isZero();
            cell.advance(MILLI);
            assertThat(reports.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
        awaitAsking();
        other.release();
        candidate.awaitGranted();
        cell.advance(Duration.ofMinutes(1));
        assertThat(reports.availablePermits()).isZero();
    }

    @Test
    void aReportThatFailsChangesNothing() throws InterruptedException {
        Lease other =
                cell.node("b").acquire(RESOURCE, AcquireOptions.renewing()).join();
        Semaphore reports = new Semaphore(0);
        start("a", DEFAULTS.toBuilder().reportEvery(SECOND).build(), new Reported(reports) {
            @Override
            public void onNotGranted() {
                super.onNotGranted();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("cannot be told");
            }
        });
        for (int report = 1; report <= 2; report++) {
            awaitAsking();
            cell.advance(SECOND);
            assertThat(reports.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
        awaitAsking();
        other.release();
        candidate.awaitGranted();
    }

    private LeaderElection start(String node, ElectionOptions options) {
        return start(node, options, candidate);
    }

    private LeaderElection start(String node, ElectionOptions options, LeaderCandidate told) {
        LeaderElection election = LeaderElection.builder(cell.node(node), "x-" + node)
                .resource(RESOURCE)
                .options(options)
                .build(told);
        elections.add(election);
        election.start();
        return election;
    }

    private LeaderElection election(String node, ElectionOptions options) {
        return LeaderElection.builder(cell.node(node), "x-" + node)
                .resource(RESOURCE)
                .options(options)
                .build(candidate);
    }

    /** Moves the clock by what is expected, so that a longer pause hangs and a shorter one is measured. */
    private List<Long> pausesBetweenGrants(int... expected) throws InterruptedException {
        List<Long> pauses = new ArrayList<>();
        long last = candidate.awaitGranted().fencingToken();
        for (int seconds : expected) {
            awaitPausing("x-a");
            cell.advance(Duration.ofSeconds(seconds).minus(MILLI));
            assertThat(isPausing("x-a")).as("%s s are not over", seconds).isTrue();
            cell.advance(MILLI);
            long next = candidate.awaitGranted().fencingToken();
            pauses.add(seconds(next - last));
            last = next;
        }
        return pauses;
    }

    /** Of a difference of tokens, which are microseconds and grow by a few for each round. */
    private static long seconds(long micros) {
        return TimeUnit.MICROSECONDS.toSeconds(micros);
    }

    private static void awaitAsking() {
        Eventually.until("it asks for the lease", () -> isWaitingIn("x-a", "await"));
    }

    private static void awaitPausing(String role) {
        Eventually.until("it stands back", () -> isPausing(role));
    }

    private static boolean isPausing(String role) {
        return isWaitingIn(role, "pause");
    }

    /**
     * Whether the election's thread waits in a method of that name, and not in one that it calls: then it has arranged what it
     * waits for, and nothing happens before the clock is moved.
     */
    private static boolean isWaitingIn(String role, String method) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("paxoslease-leader-" + role))
                .filter(each -> each.getKey().getState() == Thread.State.WAITING)
                .flatMap(each -> Arrays.stream(each.getValue())
                        .filter(frame -> frame.getClassName().startsWith("io.paxoslease."))
                        .limit(1))
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private class Reported implements LeaderCandidate {

        private final Semaphore reports;

        Reported(Semaphore reports) {
            this.reports = reports;
        }

        @Override
        public void onGranted(Leadership leadership) throws InterruptedException {
            candidate.onGranted(leadership);
        }

        @Override
        public void onRevoked(Leadership leadership) {
            candidate.onRevoked(leadership);
        }

        @Override
        public void onNotGranted() {
            reports.release();
        }
    }
}
