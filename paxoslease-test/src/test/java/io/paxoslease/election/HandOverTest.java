package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AcquireOptions;
import io.paxoslease.HandOverException;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.NodeAdmin.GivenUp;
import io.paxoslease.Nomination;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.Latches;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lease and a role are handed over to the node that is named. */
@Tag("slow")
@Timeout(60)
class HandOverTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final BlockingQueue<String> grants = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        cell.close();
    }

    private LeaderElection started(String node, ElectionOptions options) {
        LeaderElection election = LeaderElection.builder(cell.node(node), "x")
                .options(options)
                .build(new LeaderCandidate() {
                    @Override
                    public void onGranted(Leadership leadership) {
                        grants.add(node);
                    }

                    @Override
                    public void onRevoked(Leadership leadership) {
                        // Nothing has begun.
                    }
                });
        election.start();
        while (!hasAsked(node)) {
            cell.advance(Duration.ofMillis(1));
        }
        cell.advance(Duration.ofSeconds(1));
        return election;
    }

    /** The thread of its election asks a little later than it is started. */
    private boolean hasAsked(String node) {
        return cell.node(node)
                .monitor()
                .status("role:x")
                .filter(lease -> lease.state() == LeaseStatus.State.WAITING || lease.state() == LeaseStatus.State.HELD)
                .isPresent();
    }

    private LeaderElection started(String node) {
        return started(node, ElectionOptions.defaults());
    }

    private String nextLeader() throws InterruptedException {
        String next = grants.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @Test
    void aLeaderHandsOverToTheNodeThatIsNamedAndNotToTheOneThatHasWaitedLongest() throws Exception {
        LeaderElection a = started("a");
        assertThat(nextLeader()).isEqualTo("a");
        started("b");
        started("c");

        a.handOver("c");
        assertThat(nextLeader()).isEqualTo("c");
        assertThat(a.isRunning()).isTrue();
        assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(() -> a.handOver("b"))
                .withMessageContaining("does not lead");
    }

    /** Its candidate has returned from the grant, and what it has begun ends in the revocation. */
    @Test
    void aNodeThatStopsUnderACandidateDoesNotReleaseTheRole() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        LeaderElection a = LeaderElection.builder(cell.node("a"), "x").build(new LeaderCandidate() {
            @Override
            public void onGranted(Leadership leadership) {
                grants.add("a");
            }

            @Override
            public void onRevoked(Leadership leadership) {
                Latches.awaitStubbornly(mayEnd);
            }
        });
        a.start();
        assertThat(nextLeader()).isEqualTo("a");
        LeaderElection b = started("b");
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(500));
        assertThat(a.isLeader()).isFalse();
        assertThat(b.isLeader()).isFalse();
        cell.advance(Duration.ofSeconds(5));
        assertThat(nextLeader()).isEqualTo("b");
        mayEnd.countDown();
    }

    /** Called by the candidate, it does not wait for that; the node does not release the role either. */
    @Test
    void aNodeThatStopsAfterItsElectionWasStoppedByTheCandidateDoesNotReleaseTheRole() throws Exception {
        CountDownLatch isStopped = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        LeaderElection[] a = new LeaderElection[1];
        a[0] = LeaderElection.builder(cell.node("a"), "x").build(new LeaderCandidate() {
            @Override
            public void onGranted(Leadership leadership) {
                a[0].stop(LIMIT);
                isStopped.countDown();
                Latches.awaitStubbornly(mayEnd);
            }

            @Override
            public void onRevoked(Leadership leadership) {
                // Nothing has begun.
            }
        });
        a[0].start();
        assertThat(isStopped.await(20, TimeUnit.SECONDS)).isTrue();
        LeaderElection b = started("b");
        cell.node("a").stop();
        cell.advance(Duration.ofMillis(500));
        assertThat(b.isLeader()).isFalse();
        mayEnd.countDown();
    }

    @Test
    void aNodeThatDoesNotWaitIsRefusedAndNoWorkIsInterrupted() throws Exception {
        LeaderElection a = started("a");
        assertThat(nextLeader()).isEqualTo("a");
        started("b");
        AtomicBoolean cancelled = new AtomicBoolean();
        try (GuardedWork work = a.begin(() -> cancelled.set(true)).orElseThrow()) {
            assertThatExceptionOfType(HandOverException.class)
                    .isThrownBy(() -> whileTimePasses(() -> a.handOver("c")))
                    .satisfies(refused -> assertThat(refused.nomination()).isEqualTo(Nomination.NOT_QUEUED));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> a.handOver("a"))
                    .withMessageContaining("itself");
            assertThatIllegalArgumentException().isThrownBy(() -> a.handOver("not a node"));
            assertThat(cancelled).isFalse();
            assertThat(work.leadership().isLeader()).isTrue();
        }
    }

    /** A node that does not wait is asked about for half a second. */
    private void whileTimePasses(Runnable refused) throws Throwable {
        CompletableFuture<Void> call = CompletableFuture.runAsync(refused);
        while (!call.isDone()) {
            cell.advance(Duration.ofMillis(10));
        }
        try {
            call.get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    @Test
    void anOperatorHandsARoleOver() throws Exception {
        LeaderElection a = started("a");
        assertThat(nextLeader()).isEqualTo("a");
        started("b");
        started("c");
        assertThat(cell.node("b").admin().giveUp(a.resource(), "c")).isEqualTo(GivenUp.NOT_HELD);
        assertThat(cell.node("a").admin().giveUp(a.resource(), "c")).isEqualTo(GivenUp.YIELDED);
        assertThat(nextLeader()).isEqualTo("c");
    }

    @Test
    void anOperatorHandsAPlainLeaseOver() {
        Lease held = cell.node("a").acquire("r", AcquireOptions.renewing()).join();
        CompletableFuture<LossReason> lost = new CompletableFuture<>();
        held.onLost((lease, reason) -> lost.complete(reason));
        CompletableFuture<Lease> b = cell.node("b").acquire("r", AcquireOptions.renewing());
        CompletableFuture<Lease> c = cell.node("c").acquire("r", AcquireOptions.renewing());
        cell.advance(Duration.ofMillis(10));

        assertThatThrownBy(() -> whileTimePasses(() -> cell.node("a").admin().giveUp("r", "d")))
                .isInstanceOf(HandOverException.class)
                .hasMessageContaining("node 'd'");
        assertThat(held.isHeld()).isTrue();
        assertThat(cell.node("a").admin().giveUp("r", "c")).isEqualTo(GivenUp.RELEASED);
        cell.advance(Duration.ofMillis(10));
        assertThat(c).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(b).isNotDone();
        assertThat(lost).isCompletedWithValue(LossReason.REVOKED);
        assertThat(cell.node("a").admin().giveUp("r", "c")).isEqualTo(GivenUp.NOT_HELD);
    }

    @Test
    void aHolderNominatesAndReleases() {
        Lease held = cell.node("a").acquire("r", AcquireOptions.renewing()).join();
        CompletableFuture<Lease> b = cell.node("b").acquire("r", AcquireOptions.renewing());
        CompletableFuture<Lease> c = cell.node("c").acquire("r", AcquireOptions.renewing());
        cell.advance(Duration.ofMillis(10));

        assertThat(held.nominate("c").join()).isEqualTo(Nomination.QUEUED);
        assertThat(held.isHeld()).isTrue();
        CompletableFuture<Nomination> unknown = held.nominate("d");
        cell.advance(Duration.ofMillis(500));
        assertThat(unknown).isCompletedWithValue(Nomination.NOT_QUEUED);
        assertThatIllegalArgumentException().isThrownBy(() -> held.releaseTo(""));
        assertThat(held.isHeld()).isTrue();
        held.releaseTo("c");
        assertThat(held.isHeld()).isFalse();
        cell.advance(Duration.ofMillis(10));
        assertThat(c).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(b).isNotDone();
        assertThat(held.nominate("b").join()).isEqualTo(Nomination.NOT_HELD);
    }

    /** c is younger than the leader, and a is the youngest. */
    @Test
    void aLeaderThatStopsIsFollowedByTheYoungestThatHasWaitedForAMinute() throws Exception {
        Lease first =
                cell.addClient("d").acquire("role:x", AcquireOptions.renewing()).join();
        started("b");
        started("c");
        LeaderElection a = started("a");
        first.releaseTo("b");
        assertThat(nextLeader()).isEqualTo("b");
        cell.advance(Duration.ofMinutes(2));
        assertThat(a.isRunning()).isTrue();
        LeaderElection b = LeaderElection.on(cell.node("b")).get(0);
        b.stop(LIMIT);
        assertThat(nextLeader()).isEqualTo("a");
    }

    @Test
    void thePreferenceDecidesAmongThoseThatAreReady() throws Exception {
        LeaderElection a = started(
                "a", ElectionOptions.builder().preference(List.of("d", "b")).build());
        assertThat(nextLeader()).isEqualTo("a");
        started("b");
        started("c");
        cell.advance(Duration.ofMinutes(2));
        a.stop(LIMIT);
        assertThat(nextLeader()).isEqualTo("b");
    }

    /** The question goes out before the work has ended, and the lease is released when both are done. */
    @Test
    void theNextLeaderIsChosenWhileTheWorkEnds() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        LeaderElection a = LeaderElection.builder(cell.node("a"), "x").build(new LeaderCandidate() {
            @Override
            public void onGranted(Leadership leadership) {
                grants.add("a");
            }

            @Override
            public void onRevoked(Leadership leadership) {
                interrupted.countDown();
                Latches.awaitStubbornly(finish);
            }
        });
        a.start();
        assertThat(nextLeader()).isEqualTo("a");
        started("b");
        started("c");
        cell.advance(Duration.ofMinutes(2));
        CompletableFuture<Boolean> stopped = CompletableFuture.supplyAsync(() -> a.stop(LIMIT));
        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(a.isLeader()).isFalse();
        assertThat(grants).isEmpty();
        finish.countDown();
        assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(nextLeader()).isEqualTo("c");
    }

    /** Without a majority nobody can say who waits: the lease is given up all the same. */
    @Test
    void aLeaderThatStopsWithoutAMajorityDoesNotWaitForIt() throws Exception {
        LeaderElection a = started("a");
        assertThat(nextLeader()).isEqualTo("a");
        cell.disconnect("a");
        assertThat(a.stop(LIMIT)).isTrue();
        assertThat(a.isLeader()).isFalse();
    }
}
