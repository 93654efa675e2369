package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.ClockAhead;
import io.paxoslease.protocol.Effect.ClockBound;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseCell.InFlight;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A node takes part while its wall clock is known to be near a majority's, and at no other time. */
class FleaseClockTest {

    private static final Duration T = Duration.ofSeconds(3);
    private static final Duration V = Duration.ofSeconds(5);
    private static final long HALF_BOUND_MICROS = FleaseCell.BOUND.toNanos() / 2_000;
    /** What a comparison without any way costs: the grain of the clock, and what may go unnoticed. */
    private static final long LEAST_ERROR_MICROS = 1_000 + 2 * (500_000 / 32 + 1_000) + 1;
    /** What a node has to spare that returns, or starts. */
    private static final long RETURN_MICROS = 2_000;

    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private static NodeView view(FleaseCell cell, NodeId id) {
        return cell.node(id).view(cell.now(id));
    }

    private static boolean isOfClocks(InFlight m) {
        return m.message() instanceof Compare || m.message() instanceof Compared;
    }

    private static FleaseCell withOffset(NodeId id, Duration ahead) {
        FleaseCell cell = new FleaseCell(3, false);
        cell.setClock(id, ahead);
        cell.start(id, null);
        return cell;
    }

    // Comparison

    @Test
    void aNodeThatComparedNoClocksTakesNoPart() {
        FleaseCell cell = new FleaseCell(3, false);
        cell.acquire(a, T, false, WaitMode.WAIT);
        assertThat(cell.network).isNotEmpty().allMatch(m -> m.message() instanceof Compare);
        assertThat(view(cell, a).clockInBounds()).isFalse();
        cell.pass(T.dividedBy(4));

        assertThat(cell.all(a, Granted.class)).hasSize(1);
        assertThat(view(cell, a).clockInBounds()).isTrue();
    }

    @Test
    void theWayThereAndBackIsTheUncertainty() {
        FleaseCell cell = withOffset(b, millis(40));
        cell.step(a, new Event.Woken());
        List<InFlight> questions = cell.take(m -> m.to().equals(b));
        cell.jump(millis(10));
        questions.forEach(cell::arrive);
        List<InFlight> answers = cell.take(m -> m.from().equals(b) && m.message() instanceof Compared);
        cell.jump(millis(20));
        answers.forEach(cell::arrive);

        PeerClock clock = view(cell, a).clocks().get(0);
        assertThat(clock.node()).isEqualTo(b);
        assertThat(clock.offsetMicros()).isEqualTo(40_000 - 20_000 + 15_000);
        assertThat(clock.uncertaintyMicros()).isEqualTo(15_000 + LEAST_ERROR_MICROS + 30);
        assertThat(Math.abs(clock.offsetMicros() - 40_000)).isLessThan(clock.uncertaintyMicros());
    }

    @Test
    void anAnswerThatNobodyAskedForCountsForNothing() {
        FleaseCell cell = new FleaseCell(3, false);
        cell.step(a, new Event.Received(b, new Compared(77, FleaseCell.WALL)));
        assertThat(view(cell, a).clocks()).isEmpty();
    }

    @Test
    void halfOfTheBoundIsAllowedAndNotAMicrosecondMore() {
        long allowed = HALF_BOUND_MICROS - LEAST_ERROR_MICROS - RETURN_MICROS;
        assertThat(view(compared(allowed), c).clockInBounds()).isTrue();
        assertThat(view(compared(-allowed), c).clockInBounds()).isTrue();
        assertThat(view(compared(allowed + 1), c).clockInBounds()).isFalse();
        assertThat(view(compared(-allowed - 1), c).clockInBounds()).isFalse();
    }

    /** What is read of a clock goes up and down by a millisecond: a node does not leave and return with each step. */
    @Test
    void whoLeftTheBoundReturnsTwoMillisecondsWithinIt() {
        long allowed = HALF_BOUND_MICROS - LEAST_ERROR_MICROS;
        FleaseCell cell = compared(allowed - RETURN_MICROS);
        assertThat(isInBounds(cell, allowed)).isTrue();
        assertThat(isInBounds(cell, allowed + 1)).isFalse();
        assertThat(isInBounds(cell, allowed)).isFalse();
        assertThat(isInBounds(cell, allowed - RETURN_MICROS + 1)).isFalse();
        assertThat(isInBounds(cell, allowed - RETURN_MICROS)).isTrue();
        assertThat(isInBounds(cell, allowed)).isTrue();
    }

    private boolean isInBounds(FleaseCell cell, long offsetMicros) {
        cell.setClock(c, Duration.ofNanos(offsetMicros * 1_000));
        cell.step(c, new Event.Woken());
        return view(cell, c).clockInBounds();
    }

    private FleaseCell compared(long offsetMicros) {
        FleaseCell cell = withOffset(c, Duration.ofNanos(offsetMicros * 1_000));
        List.of(a, b, c).forEach(id -> cell.step(id, new Event.Woken()));
        cell.deliverAll();
        return cell;
    }

    /** However the three are compared: through the node that both of them are near to. */
    @Test
    void twoNodesThatTakePartAreWithinTheBound() {
        for (long first = -260; first <= 260; first += 40) {
            for (long second = -260; second <= 260; second += 40) {
                FleaseCell cell = new FleaseCell(3, false);
                cell.setClock(a, millis(first));
                cell.setClock(c, millis(second));
                List.of(a, b, c).forEach(id -> cell.start(id, null));
                List.of(a, b, c).forEach(id -> cell.step(id, new Event.Woken()));
                cell.deliverAll();
                if (view(cell, a).clockInBounds() && view(cell, c).clockInBounds()) {
                    assertThat(millis(Math.abs(first - second))).isLessThanOrEqualTo(FleaseCell.BOUND);
                }
            }
        }
    }

    @Test
    void aMajoritySuffices() {
        FleaseCell cell = compared(Duration.ofHours(1).toNanos() / 1_000);
        assertThat(view(cell, a).clockInBounds()).isTrue();
        assertThat(view(cell, b).clockInBounds()).isTrue();
        assertThat(view(cell, c).clockInBounds()).isFalse();
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.acquire(c, T, false, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(1);
        assertThat(cell.all(c, Granted.class)).isEmpty();
    }

    @Test
    void anOldComparisonCountsNoMore() {
        FleaseCell cell = new FleaseCell(3);
        cell.acquire(a, T, true, WaitMode.WAIT);
        cell.deliverAll();
        cell.pass(V.minusMillis(1), m -> !isOfClocks(m));
        assertThat(view(cell, a).clockInBounds()).isTrue();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(millis(2), m -> !isOfClocks(m));

        assertThat(view(cell, a).clockInBounds()).isFalse();
        assertThat(cell.all(a, Lost.class)).extracting(Lost::reason).containsExactly(Loss.CLOCK);
        assertThat(cell.all(a, ClockBound.class)).containsExactly(new ClockBound(false, false, null));
        cell.pass(millis(600));
        assertThat(view(cell, a).clockInBounds()).isTrue();
        assertThat(cell.last(a, ClockBound.class).kept()).isTrue();
    }

    @Test
    void clocksAreComparedEverySecond() {
        FleaseCell cell = new FleaseCell(3);
        int[] asked = {0};
        cell.pass(Duration.ofSeconds(10), m -> {
            asked[0] += m.from().equals(a) && m.to().equals(b) && m.message() instanceof Compare ? 1 : 0;
            return true;
        });
        assertThat(asked[0]).isBetween(9, 11);
    }

    /** The answer may have been given just after it was asked for. */
    @Test
    void aComparisonCountsFromWhenItWasAsked() {
        FleaseCell cell = new FleaseCell(3, false);
        cell.step(a, new Event.Woken());
        List<InFlight> questions = cell.take(m -> m.from().equals(a));
        questions.forEach(cell::arrive);
        List<InFlight> answers = cell.take(m -> m.message() instanceof Compared && m.to().equals(a));
        cell.network.clear();
        cell.jump(millis(100));
        answers.forEach(cell::arrive);
        assertThat(view(cell, a).clockInBounds()).isTrue();
        cell.pass(V.minusMillis(101), m -> !isOfClocks(m));
        assertThat(view(cell, a).clockInBounds()).isTrue();
        cell.pass(millis(2), m -> !isOfClocks(m));
        assertThat(view(cell, a).clockInBounds()).isFalse();
    }

    @Test
    void aComparisonThatContradictsABetterOneCounts() {
        FleaseCell cell = new FleaseCell(3);
        cell.pass(millis(500));
        cell.step(a, new Event.Reachable(b));
        InFlight question = cell.take(m -> m.message() instanceof Compare && m.to().equals(b))
                .get(0);
        cell.jump(millis(10));
        Compared answer =
                new Compared(((Compare) question.message()).id(), cell.now(b).wallMicros() + 200_000);
        cell.step(a, new Event.Received(b, answer));

        assertThat(view(cell, a).clocks().get(0).offsetMicros()).isGreaterThan(190_000);
    }

    @Test
    void anAnswerToAnEarlierLifeCountsForNothing() {
        FleaseCell cell = new FleaseCell(3, false);
        cell.step(a, new Event.Woken());
        cell.take(m -> m.from().equals(a)).forEach(cell::arrive);
        List<InFlight> late = cell.take(m -> m.message() instanceof Compared && m.to().equals(a));
        cell.restart(a);
        cell.pass(millis(900), m -> false);
        cell.step(a, new Event.Woken());
        late.forEach(cell::arrive);
        assertThat(late).isNotEmpty();
        assertThat(view(cell, a).clocks()).isEmpty();
    }

    /** Three of the steps that go unnoticed, within the time that a comparison counts. */
    @Test
    void noThreeWindowsTouchWhatAComparisonLasts() {
        TimeRules bound = new TimeRules(new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT), FleaseCell.BOUND.toNanos());
        Reading start = new Reading(new Moment(0), FleaseCell.WALL);
        OwnClock clock = new OwnClock(bound, start);
        long step = bound.unnoticedMicros() * 2 / 3;
        assertThat(clock.wasSet(stepped(start, V.minusMillis(5), step))).isFalse();
        assertThat(clock.wasSet(stepped(start, V.plusMillis(1), step))).isFalse();
        assertThat(clock.wasSet(stepped(start, V.plusMillis(5), 2 * step))).isTrue();
    }

    private static Reading stepped(Reading start, Duration time, long stepMicros) {
        Reading later = start.plusNanos(time.toNanos());
        return new Reading(later.moment(), later.wallMicros() + stepMicros);
    }

    // A clock that is set

    @Test
    void aNodeWhoseClockWasSetLosesEverythingAtOnceAndStartsAnew() {
        for (Duration step : List.of(millis(60), millis(-60), Duration.ofHours(1), Duration.ofHours(-1))) {
            FleaseCell cell = new FleaseCell(3);
            cell.acquire(a, T, true, WaitMode.WAIT);
            cell.deliverAll();
            Granted granted = cell.last(a, Granted.class);
            cell.setClock(a, step);
            cell.step(a, new Event.Woken());

            assertThat(cell.last(a, Lost.class).token()).isEqualTo(granted.token());
            assertThat(view(cell, a).clockInBounds()).isFalse();
            assertThat(view(cell, a).quarantineRemainingNanos())
                    .isEqualTo(cell.silence().toNanos());
            assertThat(cell.last(a, ClockBound.class)).isEqualTo(new ClockBound(false, true, null));
        }
    }

    @Test
    void whatCameInWithTheStepIsNotServed() {
        FleaseCell cell = new FleaseCell(3);
        cell.setClock(a, millis(60));
        cell.step(
                a, new Event.Received(b, new Read("r", new Round(FleaseCell.WALL / 500_000, 1, b), 1, Interest.NONE)));
        assertThat(cell.network).allMatch(FleaseClockTest::isOfClocks);
    }

    @Test
    void aClockThatWasSetBackIntoPlaceIsUsedAgainAfterTheSilence() {
        FleaseCell cell = new FleaseCell(3);
        cell.setClock(a, Duration.ofSeconds(10));
        cell.pass(Duration.ofSeconds(20));
        assertThat(view(cell, a).clockInBounds()).isFalse();
        PeerClock worst = Objects.requireNonNull(cell.last(a, ClockBound.class)).worst();
        assertThat(worst == null ? Long.valueOf(0) : Long.valueOf(worst.offsetMicros()))
                .isIn(0L, -10_000_000L);
        cell.setClock(a, Duration.ZERO);
        cell.pass(cell.silence().plusMillis(500));
        assertThat(view(cell, a).clockInBounds()).isTrue();
        cell.acquire(a, T, false, WaitMode.WAIT);
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(1);
    }

    /** Otherwise two nodes could be near to two different times of one clock. */
    @Test
    void aNodeWhoseClockWasSetTellsItToNobodyWhileAnEarlierAnswerCounts() {
        FleaseCell cell = new FleaseCell(3);
        cell.setClock(b, millis(60));
        cell.step(b, new Event.Woken());
        cell.pass(V);
        cell.network.clear();
        cell.step(b, new Event.Received(a, new Compare(1)));
        assertThat(cell.network).noneMatch(m -> m.message() instanceof Compared);
        cell.pass(V.dividedBy(3));
        cell.step(b, new Event.Received(a, new Compare(1)));
        assertThat(cell.network).anyMatch(m -> m.message() instanceof Compared);
    }

    @Test
    void soDoesANodeThatStarts() {
        FleaseCell cell = new FleaseCell(3);
        cell.restart(b);
        cell.pass(V);
        cell.network.clear();
        cell.step(b, new Event.Received(a, new Compare(1)));
        assertThat(cell.network).noneMatch(m -> m.message() instanceof Compared);
        cell.pass(cell.silence().minus(V));
        cell.step(b, new Event.Received(a, new Compare(1)));
        assertThat(cell.network).anyMatch(m -> m.message() instanceof Compared);
    }

    @Test
    void manySmallStepsAreNoticedTogether() {
        FleaseCell cell = new FleaseCell(3);
        for (int i = 1; i <= 10; i++) {
            cell.setClock(a, millis(5L * i));
            cell.jump(millis(1));
            cell.step(a, new Event.Woken());
        }
        assertThat(view(cell, a).quarantineRemainingNanos()).isPositive();
    }

    @Test
    void aClockThatGainsAThousandthIsNotSet() {
        FleaseCell cell = new FleaseCell(3);
        for (int i = 1; i <= 100; i++) {
            cell.setClock(a, Duration.ofNanos(i * 90_000L));
            cell.pass(millis(100));
        }
        assertThat(view(cell, a).quarantineRemainingNanos()).isZero();
        assertThat(view(cell, a).clockInBounds()).isTrue();
    }

    @Test
    void aCellOfOneNeedsNoClockButItsOwn() {
        FleaseCell cell = new FleaseCell(1);
        cell.acquire(a, T, true, WaitMode.WAIT);
        long first = cell.last(a, Granted.class).token();
        cell.setClock(a, Duration.ofHours(-1));
        cell.step(a, new Event.Woken());
        cell.acquire(a, T, true, WaitMode.WAIT);

        assertThat(cell.all(a, Lost.class)).hasSize(1);
        assertThat(cell.all(a, Granted.class)).hasSize(2);
        assertThat(cell.last(a, Granted.class).token()).isGreaterThan(first);
    }

    // The future

    @Test
    void aRoundFromTheFutureIsRefusedAndTold() {
        FleaseCell cell = new FleaseCell(3);
        long slot = FleaseCell.WALL / 500_000;
        cell.step(a, new Event.Received(b, new Read("r", new Round(slot + 2, 1, b), 1, Interest.NONE)));
        assertThat(cell.take(m -> m.from().equals(a)).get(0).message()).isInstanceOf(FleaseMessage.ReadAck.class);
        assertThat(cell.all(a, ClockAhead.class)).isEmpty();
        cell.step(a, new Event.Received(b, new Read("r", new Round(slot + 3, 1, b), 2, Interest.NONE)));
        assertThat(cell.take(m -> m.from().equals(a)).get(0).message()).isInstanceOf(FleaseMessage.Nack.class);
        assertThat(cell.last(a, ClockAhead.class)).isEqualTo(new ClockAhead(b, 1_500_000));
    }
}
