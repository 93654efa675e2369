package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.protocol.BeliefChecker.Violation;
import io.paxoslease.protocol.Effect.Granted;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A checker that accepts a bad history proves nothing. */
class BeliefCheckerTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");

    private final Map<NodeId, Moment> clocks = new HashMap<>(Map.of(A, new Moment(0), B, new Moment(500)));
    private final BeliefChecker checker = new BeliefChecker(id -> clocks.getOrDefault(id, new Moment(0)));

    private static Granted granted(String resource, long token, long until) {
        return new Granted(1, resource, token, new Reading(new Moment(until), 0));
    }

    @Test
    void twoHoldersAtOneInstantAreRejectedEachByItsOwnClock() {
        checker.observe(A, granted("r", 1, 100));
        clocks.put(A, new Moment(99));
        assertThatThrownBy(() -> checker.observe(B, granted("r", 2, 600)))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("a (token 1)");
    }

    @Test
    void aHolderAfterTheOthersDeadlineIsFine() {
        checker.observe(A, granted("r", 1, 100));
        clocks.put(A, new Moment(100));
        checker.observe(B, granted("r", 2, 600));
        assertThat(checker.handOvers()).isEqualTo(1);
    }

    @Test
    void anExtensionIntoAnothersTenureIsRejected() {
        checker.observe(A, granted("r", 1, 100));
        clocks.put(A, new Moment(100));
        checker.observe(B, granted("r", 2, 600));
        Effect.Extended late = new Effect.Extended("r", 1, new Reading(new Moment(200), 0));
        assertThatThrownBy(() -> checker.observe(A, late)).isInstanceOf(Violation.class);
    }

    @Test
    void holdersOfDifferentResourcesAreFine() {
        checker.observe(A, granted("r", 1, 100));
        checker.observe(B, granted("s", 1, 600));
        assertThat(checker.grants()).isEqualTo(2);
    }

    @Test
    void whoReleasedOrLostOrCrashedDoesNotHold() {
        checker.observe(A, granted("r", 1, 100));
        checker.released(A, "r");
        checker.observe(B, granted("r", 2, 600));
        checker.observe(B, new Effect.Lost("r", 2, Effect.Loss.EXPIRED));
        checker.observe(A, granted("r", 3, 100));
        checker.crashed(A);
        checker.observe(B, granted("r", 4, 600));
        assertThat(checker.handOvers()).isEqualTo(3);
    }

    @Test
    void aTokenThatDoesNotGrowIsRejected() {
        checker.observe(A, granted("r", 2, 100));
        checker.released(A, "r");
        assertThatThrownBy(() -> checker.observe(B, granted("r", 2, 600))).isInstanceOf(Violation.class);
    }
}
