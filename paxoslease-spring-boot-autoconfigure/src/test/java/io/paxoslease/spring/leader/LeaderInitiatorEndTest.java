package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.ElectionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * The contract of a leader initiator at the end of leadership, point by point as in
 * {@link LeaderInitiatorContractTest}.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60) // if no thread moves the clock, the test hangs
class LeaderInitiatorEndTest {

    private static final Duration MILLI = Duration.ofMillis(1);

    private final InitiatorCell cell = new InitiatorCell();
    private final ScriptedCandidate a = new ScriptedCandidate();
    private final ScriptedCandidate b = new ScriptedCandidate();
    private final Queue<String> history = new ConcurrentLinkedQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        cell.close();
    }

    /** Records the events on node a, and whether it leads and holds the lease at each. */
    private void note(String what, LeaderContext context) {
        history.add("%s, leads: %s, holds: %s".formatted(what, context.isLeader(), cell.isHeldBy("a")));
    }

    private void noteEverything() {
        a.onGranted(context -> {
            note("granted", context);
            try {
                ScriptedCandidate.work(context);
            } finally {
                note("interrupted", context);
            }
        });
        a.onRevoked(context -> note("revoked", context));
        b.onGranted(context -> history.add("the next one leads"));
    }

    /** 4 */
    @Test
    void aVoluntaryEndReleasesLastOfAll() throws InterruptedException {
        noteEverything();
        cell.start("a", a);
        LeaderContext context = (LeaderContext) a.next("granted").context();
        await().until(() -> !history.isEmpty());
        cell.start("b", b);
        cell.awaitAsking(1);
        context.yield();
        b.nextGrant();

        assertThat(history)
                .containsExactly(
                        "granted, leads: true, holds: true",
                        "interrupted, leads: false, holds: true",
                        "revoked, leads: false, holds: true",
                        "the next one leads");
    }

    /** 4: events come before the release too. */
    @Test
    void noOtherNodeLeadsBeforeTheListenersOfTheRevocationHaveReturned() throws InterruptedException {
        a.onRevokedEvent(context -> InitiatorCell.hang(end));
        cell.start("a", a);
        LeaderContext context = a.nextGrant();
        PaxosLeaseLeaderInitiator second = cell.start("b", b);
        cell.awaitAsking(1);
        context.yield();
        a.nextRevocation();
        cell.advance(LEASE_TIME.multipliedBy(3));
        assertThat(second.isLeader()).isFalse();
        assertThat(cell.isHeldBy("a")).isTrue();
        end.countDown();
        b.nextGrant();
    }

    /** 4: nothing is left to release, and the next one leads only after the deadline. */
    @Test
    void anInvoluntaryEndHasTheSameOrderWithoutARelease() throws InterruptedException {
        noteEverything();
        PaxosLeaseLeaderInitiator first = cell.start("a", a);
        a.next("granted");
        b.onGranted(context -> history.add("the next one leads, the last one: " + first.isLeader()));
        cell.start("b", b);
        cell.awaitAsking(1);
        cell.cell.disconnect("a");
        while (first.isLeader()) {
            cell.advance(MILLI);
        }
        cell.advance(MILLI.multipliedBy(10)); // told soon after the deadline
        await().until(() -> history.size() == 3);
        cell.advance(LEASE_TIME);
        b.nextGrant();

        assertThat(history)
                .containsExactly(
                        "granted, leads: true, holds: true",
                        "interrupted, leads: false, holds: false",
                        "revoked, leads: false, holds: false",
                        "the next one leads, the last one: false");
    }

    /** 5 */
    @Test
    void aCandidateMayWorkInOnGrantedAndIsInterruptedOnceAndNothingIsPublished() throws InterruptedException {
        AtomicBoolean again = new AtomicBoolean();
        a.onGranted(context -> {
            try {
                ScriptedCandidate.work(context);
            } catch (InterruptedException e) {
                again.set(Thread.currentThread().isInterrupted());
                throw e;
            }
        });
        a.onRevoked(context -> again.compareAndSet(false, Thread.currentThread().isInterrupted()));
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        a.next("granted");
        cell.advance(LEASE_TIME.multipliedBy(100));
        assertThat(initiator.isLeader()).isTrue();
        assertThat(a.isEmpty()).isTrue();

        initiator.stop();
        a.next("revoked");
        assertThat(again).isFalse();
        assertThat(a.isEmpty()).isTrue();
    }

    /** 6 */
    @Test
    void aCandidateThatFailsIsRevokedAndTheLeaseReleasedAndThePausesGrow() throws InterruptedException {
        a.onGranted(context -> {
            throw new IllegalStateException("cannot lead");
        });
        cell.start("a", a);
        List<Long> pauses = new ArrayList<>();
        LeaderContext last = nextFailure();
        for (int seconds : List.of(2, 4, 8, 16, 30, 30)) {
            cell.awaitPausing();
            assertThat(cell.isHeldBy("a")).isFalse();
            cell.advance(Duration.ofSeconds(seconds).minus(MILLI));
            assertThat(cell.isPausing()).isTrue();
            cell.advance(MILLI);
            LeaderContext next = nextFailure();
            pauses.add(TimeUnit.MICROSECONDS.toSeconds(next.fencingToken() - last.fencingToken()));
            last = next;
        }
        assertThat(pauses).containsExactly(2L, 4L, 8L, 16L, 30L, 30L);
        assertThat(a.isEmpty()).isTrue();
    }

    private LeaderContext nextFailure() throws InterruptedException {
        LeaderContext context = (LeaderContext) a.next("granted").context();
        assertThat(a.next("revoked").context()).isSameAs(context);
        assertThat(context.isLeader()).isFalse();
        return context;
    }

    /** 6 */
    @Test
    void aPublisherThatThrowsIsWarnedAboutAndDoesNotEndLeadership(CapturedOutput output) throws InterruptedException {
        a.onGrantedEvent(context -> {
            throw new IllegalStateException("a listener failed");
        });
        a.onRevoked(context -> {
            throw new IllegalStateException("the candidate failed");
        });
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        a.nextGrant();
        cell.advance(LEASE_TIME.multipliedBy(3));
        assertThat(initiator.isLeader()).isTrue();

        initiator.stop();
        a.nextRevocation();
        assertThat(output)
                .containsPattern("WARN.*A publisher or listener of leader events failed for the role 'billing'")
                .containsPattern("WARN.*onRevoked of .* failed for the role 'billing'; leadership is not affected");
    }

    /** 7 */
    @Test
    void stopAnswersAfterTheRevocationAndTheRelease() throws InterruptedException {
        a.onRevoked(context -> InitiatorCell.hang(end));
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        a.nextGrant();
        AtomicBoolean heldAtTheAnswer = new AtomicBoolean(true);
        CountDownLatch answered = new CountDownLatch(1);
        initiator.stop(() -> {
            heldAtTheAnswer.set(cell.isHeldBy("a"));
            answered.countDown();
        });
        a.next("revoked");
        assertThat(initiator.isLeader()).isFalse();
        cell.advance(LEASE_TIME.multipliedBy(3));
        assertThat(cell.isHeldBy("a")).isTrue();
        assertThat(answered.getCount()).isEqualTo(1);

        end.countDown();
        assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(heldAtTheAnswer).isFalse();
        a.next("revoked event");
    }

    /** 7: within the time that the container gives. */
    @Test
    void stopAnswersWhenItsTimeIsOverAndReleasesAllTheSame(CapturedOutput output) throws InterruptedException {
        a.onRevoked(context -> InitiatorCell.hang(end));
        PaxosLeaseLeaderInitiator initiator = cell.start("a", a);
        a.nextGrant();
        cell.start("b", b);
        cell.awaitAsking(1);
        initiator.setStopTimeout(Duration.ofMillis(200));
        CountDownLatch answered = new CountDownLatch(1);
        initiator.stop(answered::countDown);
        assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(cell.isHeldBy("a")).isFalse();
        b.nextGrant();
        assertThat(output).containsPattern("WARN.*onRevoked of .* or a listener took longer than PT0.2S");
    }

    /** 7 */
    @Test
    void whoYieldsCoolsDownSoThatAnotherWins() throws InterruptedException {
        cell.start("a", a);
        LeaderContext context = a.nextGrant();
        cell.start("b", b);
        cell.awaitAsking(1);
        context.yield();
        b.nextGrant();
        a.nextRevocation();
        cell.awaitPausing();
        cell.advance(Duration.ofMinutes(1));
        assertThat(a.isEmpty()).isTrue();
        assertThat(b.isEmpty()).isTrue();
    }

    /** 7: and contests the role again if no other node took it. */
    @Test
    void whoYieldsStandsAgainAfterTheCoolDown() throws InterruptedException {
        PaxosLeaseLeaderInitiator initiator = cell.make(
                "a",
                a,
                ElectionOptions.builder().coolDown(Duration.ofSeconds(7)).build());
        initiator.start();
        LeaderContext first = a.nextGrant();
        first.yield();
        a.nextRevocation();
        cell.awaitPausing();
        cell.advance(Duration.ofSeconds(7).minus(MILLI));
        assertThat(cell.isPausing()).isTrue();
        cell.advance(MILLI);
        LeaderContext second = a.nextGrant();
        assertThat(second.fencingToken() - first.fencingToken()).isBetween(7_000_000L, 7_000_010L);
        assertThat(second).isNotEqualTo(first);
    }

    /** Beyond the points: a follower may say that it waits. */
    @Test
    void aFollowerPublishesOncePerLeaseTimeThatItDoesNotLeadIfThatIsWanted() throws InterruptedException {
        cell.start("a", a);
        a.nextGrant();
        PaxosLeaseLeaderInitiator follower = cell.make("b", b);
        follower.setPublishFailedEvents(true);
        follower.start();
        for (int report = 0; report < 3; report++) {
            cell.awaitAsking(1);
            cell.advance(LEASE_TIME.minus(MILLI));
            assertThat(b.isEmpty()).isTrue();
            cell.advance(MILLI);
            RecordingCandidate.Entry failed = b.next("failed event");
            assertThat(failed.source()).isSameAs(follower);
            assertThat(failed.role()).isEqualTo("billing");
            assertThat(failed.context().isLeader()).isFalse();
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> follower.setPublishFailedEvents(false))
                .withMessageContaining("before the initiator is started");
    }

    @Test
    void byDefaultAFollowerPublishesNothing() throws InterruptedException {
        cell.start("a", a);
        a.nextGrant();
        cell.start("b", b);
        cell.awaitAsking(1);
        cell.advance(LEASE_TIME.multipliedBy(10));
        cell.awaitAsking(1);
        assertThat(b.isEmpty()).isTrue();
    }
}
