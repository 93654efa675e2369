package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage.Compare;
import io.paxoslease.protocol.flease.FleaseMessage.Compared;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Section 9 of docs/protocol.md: what one node that runs Flease does beside another configuration, to the nanosecond. */
class FleaseGuardTest {

    private static final NodeId A = FleaseCell.id(0);
    private static final NodeId B = FleaseCell.id(1);
    private static final NodeId C = FleaseCell.id(2);
    private static final List<NodeId> MEMBERS = List.of(A, B, C);
    private static final List<NodeId> OTHERS = List.of(A, B, new NodeId("d"));
    private static final Timing TIMING = new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT);
    private static final Duration SILENCE =
            Duration.ofNanos(FleaseNode.silenceNanos(TIMING, FleaseCell.BOUND.toNanos()));
    private static final Duration LOOK_AROUND = Duration.ofNanos(ConfigurationGuard.LOOK_AROUND_NANOS);
    private static final Duration SEEN = Duration.ofNanos(ConfigurationGuard.SEEN_NANOS);

    private static final Duration WAKING = Duration.ofMillis(500);

    private Duration passed = Duration.ZERO;

    /** Nothing else keeps it silent: no earlier life, and clocks that agree. */
    private final FleaseNode node = new FleaseNode(
            A,
            new Quorum(MEMBERS),
            TIMING,
            FleaseCell.BOUND.toNanos(),
            null,
            new ConfigurationGuard(
                    A, MEMBERS, SILENCE.toNanos(), ConfigurationGuard.SEEN_NANOS, ConfigurationGuard.LOOK_AROUND_NANOS),
            () -> new Incarnation(1, 1),
            new SplittableRandom(1),
            Long.MAX_VALUE,
            at(Duration.ZERO));

    private static Reading at(Duration time) {
        return new Reading(new Moment(0), FleaseCell.WALL).plusNanos(time.toNanos());
    }

    /** It is woken often enough that no comparison of clocks is too old. */
    private List<Effect> step(Event event, Duration time) {
        while (passed.plus(WAKING).compareTo(time) < 0) {
            passed = passed.plus(WAKING);
            compare(new Event.Woken(), passed);
        }
        passed = time;
        return compare(event, time);
    }

    /** Both other members compare clocks with it, which are the same. */
    private List<Effect> compare(Event event, Duration time) {
        List<Effect> effects = node.step(event, at(time));
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send && send.message() instanceof Compare compare) {
                Compared answer = new Compared(compare.id(), at(time).wallMicros());
                node.step(new Event.Received(send.to(), answer), at(time));
            }
        }
        return effects;
    }

    private boolean servesAt(Duration time) {
        step(new Event.Woken(), time);
        return node.serves(at(time));
    }

    private boolean answersAt(Duration time) {
        Read read = new Read(
                "r", new Round(at(time).wallMicros() / (FleaseCell.BOUND.toNanos() / 1_000), 0, B), 1, Interest.NONE);
        return step(new Event.Received(B, read), time).stream()
                .anyMatch(effect -> effect instanceof Effect.Send send && send.message() instanceof ReadAck);
    }

    private static Event otherRunsAt(NodeId other) {
        return new Event.OtherConfiguration(other, OTHERS, SILENCE.toNanos(), "the peers differ", false);
    }

    /** G1. */
    @Test
    void aNodeLooksAroundBeforeItAnswersAnything() {
        assertThat(servesAt(Duration.ofSeconds(3)))
                .as("before its port is open")
                .isFalse();
        Duration opened = Duration.ofSeconds(4);
        step(new Event.Opened(), opened);

        assertThat(answersAt(opened.plus(LOOK_AROUND).minusNanos(1))).isFalse();
        assertThat(node.nextDeadline()).isNotNull().satisfies(due -> assertThat(due.nanos())
                .isLessThanOrEqualTo(opened.plus(LOOK_AROUND).toNanos()));
        assertThat(servesAt(opened.plus(LOOK_AROUND))).isTrue();
        assertThat(answersAt(opened.plus(LOOK_AROUND))).isTrue();
    }

    /** G2 and G3: it was seen once, so its nodes may grant for three seconds yet, and that is over after a silence. */
    @Test
    void aNodeIsSilentUntilWhatTheOthersMayHaveGrantedIsOver() {
        step(new Event.Opened(), Duration.ZERO);
        Duration seen = Duration.ofSeconds(1);
        step(otherRunsAt(B), seen); // it and d are a majority of theirs

        Duration over = seen.plus(SEEN).plus(SILENCE);
        assertThat(answersAt(over.minusNanos(1))).isFalse();
        assertThat(node.view(at(over.minusNanos(1))).otherConfiguration()).isNotNull();
        assertThat(servesAt(over)).isTrue();
    }

    /** G2: those that are connected run what this node runs. */
    @Test
    void nodesThatAreKnownToRunTheSameAreNoMajorityOfTheOthers() {
        step(new Event.Opened(), Duration.ZERO);
        step(new Event.Reachable(B), Duration.ZERO);
        step(otherRunsAt(new NodeId("d")), Duration.ofSeconds(1));
        assertThat(servesAt(SILENCE.minusNanos(1))).as("beside another list").isFalse();
        assertThat(servesAt(SILENCE)).isTrue();

        step(new Event.Unreachable(B), SILENCE);
        assertThat(servesAt(SILENCE)).as("it serves on").isTrue();
    }

    /** G4. */
    @Test
    void aNodeThatServesGoesOnAndStartsAgainWhenItMayHaveForgotten() {
        step(new Event.Opened(), Duration.ZERO);
        assertThat(servesAt(LOOK_AROUND)).isTrue();
        step(otherRunsAt(B), LOOK_AROUND);
        assertThat(answersAt(LOOK_AROUND.plusNanos(1))).isTrue();

        Duration forgotten = LOOK_AROUND.plusSeconds(1);
        step(new Event.ClocksDisagree(true), forgotten);
        Duration over = LOOK_AROUND.plus(SEEN).plus(SILENCE);
        assertThat(servesAt(forgotten.plus(SILENCE)))
                .as("its own silence is over")
                .isFalse();
        assertThat(servesAt(over.minusNanos(1))).isFalse();
        assertThat(servesAt(over)).isTrue();
    }
}
