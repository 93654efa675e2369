package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentCaptor;
import org.mockito.InOrder;

/** The decisions of a watch, with a clock that the test sets and a group that the test switches. */
@Timeout(60)
class HealthWatchTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final InMemoryCell cell = InMemoryCell.of("a");
    private final AtomicLong now = new AtomicLong(-3); // the sign of a nanosecond clock means nothing
    private final LeaderRole role =
            new LeaderRole("billing", TestElections.settings(TIMEOUT), event -> {}, new Object());
    private final LeaderElection election =
            ElectionFactory.plain(() -> cell.node("a")).create(role);
    private BooleanSupplier group = () -> true;
    private final HealthWatch watch =
            new HealthWatch(role, "readiness", TIMEOUT, () -> group.getAsBoolean(), TIMEOUT, now::get);

    HealthWatchTest() {
        role.contest().start(election);
    }

    @AfterEach
    void close() {
        watch.stop();
        role.contest().stop(election, TIMEOUT);
        cell.close();
    }

    private void checkAfter(Duration time) {
        now.addAndGet(time.toNanos());
        watch.check(Runnable::run);
        watch.decide();
    }

    @Test
    void theRoleIsContestedAtTheFirstCheckThatIsUp() {
        assertThat(election.isRunning()).isFalse();
        group = () -> false;
        checkAfter(Duration.ZERO);
        assertThat(election.isRunning()).isFalse();
        group = () -> true;
        watch.check(Runnable::run);
        assertThat(election.isRunning()).isTrue();
    }

    /** As without a native thread for the election. */
    @Test
    void aDecisionThatFailsIsMadeAgain() {
        LeaderElection other = mock(LeaderElection.class);
        doThrow(new OutOfMemoryError("planted")).doNothing().when(other).start();
        role.contest().start(other);
        watch.check(Runnable::run);
        checkAfter(Duration.ofSeconds(1));
        verify(other, times(2)).start();
        assertThat(election.isRunning()).isTrue();
        role.contest().stop(other, Duration.ZERO);
    }

    private LeaderElection another() {
        LeaderElection other = mock(LeaderElection.class);
        when(other.stopUnhealthy(any())).thenReturn(true);
        role.contest().start(other);
        return other;
    }

    @Test
    void aRoleThatCouldNotBeContestedInFullIsGivenUpWhenTheGroupIsDownThen() {
        LeaderElection other = another();
        doThrow(new OutOfMemoryError("planted")).when(other).start();
        watch.check(Runnable::run);
        assertThatThrownBy(watch::decide).isInstanceOf(OutOfMemoryError.class);
        assertThat(election.isRunning()).isTrue();
        group = () -> false;
        checkAfter(TIMEOUT);
        assertThat(election.isRunning()).isFalse();
        verify(other).stopUnhealthy(any());
        role.contest().stop(other, Duration.ZERO);
    }

    @Test
    void aRoleThatCouldNotBeGivenUpInFullIsContestedWhenTheGroupIsUpThen() {
        LeaderElection other = another();
        checkAfter(Duration.ZERO);
        doThrow(new OutOfMemoryError("planted")).when(other).stopUnhealthy(any());
        group = () -> false;
        assertThatThrownBy(() -> checkAfter(TIMEOUT)).isInstanceOf(OutOfMemoryError.class);
        assertThat(election.isRunning()).isFalse();
        group = () -> true;
        checkAfter(Duration.ZERO);
        assertThat(election.isRunning()).isTrue();
        role.contest().stop(other, Duration.ZERO);
    }

    /** Its thread was in the middle of a decision when the context was stopped and started again. */
    @Test
    void aDecisionAfterTheStopChangesNothing() {
        checkAfter(Duration.ZERO);
        group = () -> false;
        now.addAndGet(TIMEOUT.toNanos());
        watch.stop();
        HealthWatch next = new HealthWatch(role, "readiness", TIMEOUT, () -> true, TIMEOUT, now::get);
        next.check(Runnable::run);
        next.decide();
        assertThat(election.isRunning()).isTrue();
        watch.decide();
        assertThat(election.isRunning()).isTrue();
        next.stop();
    }

    @Test
    void aRoleWhoseObstacleIsRemovedWhileItIsGivenUpIsContestedAgain() {
        LeaderElection other = another();
        checkAfter(Duration.ZERO);
        doAnswer(stop -> {
                    role.contest().remove(RoleContest.Obstacle.HEALTH_GROUP_DOWN);
                    return true;
                })
                .when(other)
                .stopUnhealthy(any());
        role.contest().add(RoleContest.Obstacle.HEALTH_GROUP_DOWN);
        role.contest().giveUpUnhealthy(TIMEOUT);
        InOrder order = inOrder(other);
        order.verify(other).stopUnhealthy(any());
        order.verify(other, times(2)).start(); // the first one comes too early
        role.contest().stop(other, Duration.ZERO);
    }

    @Test
    void aRepeatedTaskThatFailsIsRepeatedAlsoWhenNothingCanBeLogged() {
        AtomicInteger runs = new AtomicInteger();
        Runnable task = TimedChecks.repeated(
                () -> {
                    runs.incrementAndGet();
                    throw new OutOfMemoryError("planted");
                },
                failure -> {
                    throw new OutOfMemoryError("planted too");
                });
        task.run();
        task.run();
        assertThat(runs).hasValue(2);
    }

    @Test
    void theRoleIsGivenUpOnceTheGroupWasDownForTheWholeTimeout() {
        checkAfter(Duration.ZERO);
        group = () -> false;
        checkAfter(TIMEOUT.minusNanos(1));
        assertThat(election.isRunning()).isTrue();
        checkAfter(Duration.ofNanos(1));
        assertThat(election.isRunning()).isFalse();
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void aGroupThatIsUpNowAndThenKeepsTheRole() {
        for (int round = 0; round < 4; round++) {
            group = () -> true;
            checkAfter(TIMEOUT.dividedBy(2));
            group = () -> false;
            checkAfter(TIMEOUT.dividedBy(2));
            assertThat(election.isRunning()).isTrue();
        }
    }

    @Test
    void theRoleIsContestedAgainWhenTheGroupIsUpAgain() {
        checkAfter(Duration.ZERO);
        group = () -> false;
        checkAfter(TIMEOUT);
        assertThat(election.isRunning()).isFalse();
        group = () -> true;
        checkAfter(TIMEOUT);
        assertThat(election.isRunning()).isTrue();
    }

    @Test
    void aCheckThatFailsIsDown() {
        checkAfter(Duration.ZERO);
        group = () -> {
            throw new IllegalStateException("planned");
        };
        checkAfter(TIMEOUT);
        assertThat(election.isRunning()).isFalse();
    }

    /** Nothing calls check any more while one hangs. */
    @Test
    void aCheckThatHangsIsDown() {
        checkAfter(Duration.ZERO);
        now.addAndGet(TIMEOUT.toNanos());
        watch.decide();
        assertThat(election.isRunning()).isFalse();
    }

    /** Whether the group is up by then is not known. */
    @Test
    void aCheckThatAnswersLateCountsFromWhenItBegan() {
        checkAfter(Duration.ZERO);
        group = () -> {
            now.addAndGet(TIMEOUT.toNanos());
            return true;
        };
        checkAfter(Duration.ZERO);
        assertThat(election.isRunning()).isFalse();
    }

    /** Each ends just in time, and decisions are made while it runs. */
    @Test
    void checksThatTakeLongButAreInTimeKeepTheRole() {
        ScheduledExecutorService scheduler = mock();
        long interval = TIMEOUT.dividedBy(5).toNanos();
        long late = Duration.ofMillis(100).toNanos(); // of the scheduler
        checkAfter(Duration.ZERO);
        group = () -> {
            now.addAndGet(HealthWatch.checkLimit(TIMEOUT).toNanos() - 1);
            watch.decide();
            assertThat(election.isRunning()).isTrue();
            return true;
        };
        for (int check = 0; check < 5; check++) {
            watch.checkAgain(scheduler, interval);
            now.addAndGet(Math.max(0, lastDelay(scheduler)) + late);
        }
        watch.decide();
        assertThat(election.isRunning()).isTrue();
    }

    @Test
    void checksThatAreFastBeginAtTheInterval() {
        ScheduledExecutorService scheduler = mock();
        group = () -> now.addAndGet(20) != 0;
        watch.checkAgain(scheduler, 100);
        assertThat(lastDelay(scheduler)).isEqualTo(80);
    }

    private static long lastDelay(ScheduledExecutorService scheduler) {
        ArgumentCaptor<Long> delay = ArgumentCaptor.captor();
        verify(scheduler, atLeastOnce()).schedule(any(Runnable.class), delay.capture(), any());
        return delay.getValue();
    }

    @Test
    void aCheckMayTakeTwoFifthsOfTheTimeoutAndHalfAMinuteAtMost() {
        assertThat(HealthWatch.checkLimit(TIMEOUT)).hasSeconds(4);
        assertThat(HealthWatch.checkLimit(Duration.ofMillis(500))).hasMillis(200);
        assertThat(HealthWatch.checkLimit(Duration.ofDays(1))).hasSeconds(30);
    }

    /** A runner of the same phase may start before the next watch does. */
    @Test
    void afterItsStopTheRoleIsNotContestedBeforeAnotherWatch() {
        checkAfter(Duration.ZERO);
        watch.stop();
        assertThat(election.isRunning()).as("until its runner stops").isTrue();
        role.contest().stop(election, TIMEOUT);
        role.contest().start(election);
        assertThat(election.isRunning()).isFalse();
    }

    @Test
    void aDecisionAfterItsStopContestsNothing() {
        watch.stop();
        checkAfter(Duration.ZERO);
        assertThat(election.isRunning()).isFalse();
    }

    /** The container may have stopped the elections while a check was under way. */
    @Test
    void anAnswerAfterTheStopContestsNothing() {
        role.contest().stop(election, TIMEOUT);
        checkAfter(Duration.ZERO);
        assertThat(election.isRunning()).isFalse();
        group = () -> true;
        watch.check(task -> {
            throw new RejectedExecutionException("planned");
        });
    }
}
