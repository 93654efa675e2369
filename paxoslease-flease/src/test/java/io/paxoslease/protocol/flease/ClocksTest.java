package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When clocks are compared, and what counts as a clock that was set. */
class ClocksTest {

    private static final Timing TIMING = new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT);

    private final NodeId a = FleaseCell.id(0);
    private final Quorum quorum = new Quorum(List.of(a, FleaseCell.id(1), FleaseCell.id(2)));
    private final TimeRules wide = new TimeRules(TIMING, FleaseCell.BOUND.toNanos());
    private final TimeRules narrow = new TimeRules(TIMING, Duration.ofMillis(20).toNanos());
    private final Reading start = new Reading(new Moment(0), FleaseCell.WALL);
    private final OwnClock own = new OwnClock(wide, start);

    private Reading after(Duration time) {
        return start.plusNanos(time.toNanos());
    }

    private static Reading stepped(Reading reading, long micros) {
        return new Reading(reading.moment(), reading.wallMicros() + micros);
    }

    // Asking

    private Clocks clocks(TimeRules bound) {
        return new Clocks(bound, quorum, a, null, 0, start);
    }

    /** Everybody who is asked answers at once. */
    private static int compare(Clocks clocks, Reading now) {
        Map<NodeId, Compare> asked = new LinkedHashMap<>();
        clocks.askIfDue(now, (peer, question) -> asked.put(peer, (Compare) question));
        asked.forEach((peer, question) -> clocks.onCompared(peer, new Compared(question.id(), now.wallMicros()), now));
        return asked.size();
    }

    @Test
    void clocksAreComparedFourTimesWhileAComparisonCounts() {
        Clocks clocks = clocks(narrow);
        assertThat(compare(clocks, start)).isEqualTo(2);
        Reading second = after(Duration.ofMillis(75));
        assertThat(compare(clocks, second)).isEqualTo(2);
        assertThat(clocks.nextDeadline(second))
                .isEqualTo(after(Duration.ofMillis(150)).moment());
        assertThat(compare(clocks, after(Duration.ofMillis(149)))).isZero();
        assertThat(compare(clocks, after(Duration.ofMillis(150)))).isEqualTo(2);
    }

    @Test
    void whoIsOutOfBoundsAsksFourTimesAsOften() {
        Clocks clocks = clocks(wide);
        assertThat(compare(clocks, start)).isEqualTo(2);
        assertThat(clocks.nextDeadline(start))
                .isEqualTo(after(Duration.ofMillis(250)).moment());
    }

    @Test
    void whoStartedSaysWhatItsClockShowsWhenNothingSaidBeforeCountsAnyMore() {
        Moment from = start.moment().plusNanos(wide.unansweredNanos());
        Clocks clocks = new Clocks(wide, quorum, a, start.moment(), 0, start);
        assertThat(clocks.answers(new Reading(from.plusNanos(-1), FleaseCell.WALL)))
                .isFalse();
        assertThat(clocks.answers(new Reading(from, FleaseCell.WALL))).isTrue();
    }

    // A clock that was set

    @Test
    void whatMayGoUnnoticedDoesAndNotAMicrosecondMore() {
        Reading later = after(Duration.ofSeconds(5));
        assertThat(own.wasSet(stepped(later, wide.unnoticedMicros()))).isFalse();
        assertThat(own.wasSet(stepped(later, wide.unnoticedMicros() + 1))).isTrue();
        assertThat(own.wasSet(stepped(later, wide.unnoticedMicros() + 1))).isFalse();
    }

    @Test
    void thereAndBackAddsUp() {
        assertThat(own.wasSet(stepped(start, 10_000))).isFalse();
        assertThat(own.wasSet(stepped(start, -10_000))).isTrue();
    }

    @Test
    void aClockThatGainsALittleForEverWasNotSet() {
        for (int i = 1; i <= 100; i++) {
            assertThat(own.wasSet(stepped(after(Duration.ofSeconds(i)), i * 500L)))
                    .isFalse();
        }
        Reading end = stepped(after(Duration.ofSeconds(100)), 50_000);
        assertThat(own.wasSet(stepped(end, wide.unnoticedMicros() + 5_000))).isTrue();
    }

    /** As a process that was stopped: what was told before has ceased to count meanwhile. */
    @Test
    void aClockThatNobodyLookedAtMayHaveGainedAThousandthSince() {
        Duration pause = Duration.ofHours(1);
        assertThat(own.wasSet(stepped(after(pause), 3_500_000))).isFalse();
        OwnClock other = new OwnClock(wide, start);
        assertThat(other.wasSet(stepped(after(pause), 3_700_000))).isTrue();
    }
}
