package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView.PeerClock;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which comparison of two clocks counts, for how long, and how well it is known. */
class ComparisonsTest {

    private static final long MILLI = 1_000_000;
    private static final long V = Duration.ofSeconds(5).toNanos();

    private final NodeId a = FleaseCell.id(0);
    private final NodeId b = FleaseCell.id(1);
    private final NodeId c = FleaseCell.id(2);
    private final TimeRules bound =
            new TimeRules(new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT), FleaseCell.BOUND.toNanos());
    private final Reading start = new Reading(new Moment(0), FleaseCell.WALL);
    private final Clocks clocks = new Clocks(bound, new Quorum(List.of(a, b, c)), a, null, 0, start);

    private Reading after(long nanos) {
        return start.plusNanos(nanos);
    }

    /** Asked then, answered after that long, by a clock that is ahead by so much. */
    private void compared(NodeId peer, long asked, long tookNanos, long aheadMicros) {
        Reading question = after(asked);
        long id = clocks.ask(peer, question).id();
        answered(peer, id, question.wallMicros() + tookNanos / 2_000 + aheadMicros, after(asked + tookNanos));
    }

    private void answered(NodeId peer, long id, long wallMicros, Reading now) {
        clocks.onCompared(peer, new Compared(id, wallMicros), now);
    }

    private PeerClock clock(Reading now) {
        return clocks.view(now).get(0);
    }

    @Test
    void theBetterOfTwoCountsWhileItIsYoung() {
        compared(b, 0, 2 * MILLI, 10);
        compared(b, 100 * MILLI, 6 * MILLI, 20);
        assertThat(clock(after(106 * MILLI)).offsetMicros()).isEqualTo(10);
        compared(b, 200 * MILLI, 1 * MILLI, 30);
        assertThat(clock(after(201 * MILLI)).offsetMicros()).isEqualTo(30);
        compared(b, 2_600 * MILLI, 40 * MILLI, 40);
        assertThat(clock(after(2_640 * MILLI)).offsetMicros()).isEqualTo(30);
        compared(b, 2_680 * MILLI, 40 * MILLI, 50);
        assertThat(clock(after(2_720 * MILLI)).offsetMicros()).isEqualTo(50);
    }

    @Test
    void whatIsKnownGrowsOldByTwoThousandthsOfTheTime() {
        compared(b, 0, 0, 0);
        long known = clock(start).uncertaintyMicros();
        assertThat(known).isEqualTo(bound.comparisonErrorMicros() + 1);
        assertThat(clock(after(1_000 * MILLI)).uncertaintyMicros()).isEqualTo(known + 2_000);
    }

    @Test
    void anAnswerCountsOnceAndOnlyOfWhoWasAsked() {
        long id = clocks.ask(b, start).id();
        answered(c, id, FleaseCell.WALL, start);
        assertThat(clocks.view(start)).isEmpty();
        answered(b, id, FleaseCell.WALL, start);
        answered(b, id, FleaseCell.WALL + 200_000, start);
        assertThat(clock(start).offsetMicros()).isZero();
    }

    @Test
    void ofManyOpenQuestionsTheOldestIsForgotten() {
        long first = clocks.ask(b, start).id();
        long second = clocks.ask(b, start).id();
        for (int i = 0; i < 7; i++) {
            clocks.ask(b, start);
        }
        answered(b, first, FleaseCell.WALL, start);
        assertThat(clocks.view(start)).isEmpty();
        answered(b, second, FleaseCell.WALL, start);
        assertThat(clocks.view(start)).hasSize(1);
    }

    @Test
    void whatWasAskedBeforeTheClockWasSetCountsForNothing() {
        compared(b, 0, 0, 0);
        long open = clocks.ask(c, start).id();
        clocks.distrust(start);
        answered(c, open, FleaseCell.WALL, start);
        assertThat(clocks.view(start)).isEmpty();
    }

    @Test
    void whatIsOldIsNotShown() {
        compared(b, 0, 0, 0);
        assertThat(clocks.view(after(V))).hasSize(1);
        assertThat(clocks.view(after(V + 1))).isEmpty();
    }

    // When to look again

    @Test
    void aMajorityLastsAsLongAsTheBestThatMakeItOne() {
        compared(b, 0, 0, 0);
        assertThat(clocks.validUntil(start)).isEqualTo(new Moment(V + 1));
        compared(c, 1_000 * MILLI, 0, 0);
        assertThat(clocks.validUntil(after(1_000 * MILLI))).isEqualTo(new Moment(1_000 * MILLI + V + 1));
    }

    /** Uncertainty that grows may end it before. */
    @Test
    void aMajorityThatIsJustNearEnoughEndsSoon() {
        long room = bound.micros() / 2 - bound.comparisonErrorMicros() - 1;
        compared(b, 0, 0, room - 2);
        Moment end = Objects.requireNonNull(clocks.validUntil(start));
        assertThat(end).isEqualTo(new Moment(MILLI + 1));
        assertThat(clocks.areWithinBound(start, 0)).isTrue();
        assertThat(clocks.areWithinBound(after(2 * MILLI), 0)).isFalse();
    }

    // Who is to be named

    @Test
    void theFarthestOfThoseThatAreTooFarIsNamed() {
        compared(b, 0, 0, 0);
        assertThat(clocks.worst(start)).isNull();
        compared(b, 0, 0, 300_000);
        compared(c, 0, 0, -400_000);
        PeerClock worst = Objects.requireNonNull(clocks.worst(start));
        assertThat(worst.node()).isEqualTo(c);
        assertThat(worst.offsetMicros()).isEqualTo(-400_000);
    }
}
