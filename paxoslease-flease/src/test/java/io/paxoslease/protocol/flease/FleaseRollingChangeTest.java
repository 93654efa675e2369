package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Section 9 of docs/protocol.md, over Flease: the members are changed by a plain rolling restart, which the manual forbids. That
 * may cost service until it is finished or undone, and never the promise.
 */
class FleaseRollingChangeTest {

    /** From restarts in quick succession to restarts of which each waits until the node before it serves. */
    private static final List<Duration> PAUSES = List.of(
            Duration.ofMillis(40),
            Duration.ofSeconds(1),
            Duration.ofMillis(2_500),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20));

    private static final int SEEDS = 2;

    /** Each node serves before the next one is restarted. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    /** Several silences. */
    private static final Duration LONG = Duration.ofSeconds(30);

    @ParameterizedTest(name = "{0} to {1} in the order {2}")
    @CsvSource({
        "abc, abcde, bdCeac", // the new ones after the first old one: they and it are a majority of five
        "abc, abcde, decba", // the new ones first
        "abcde, abc, abDcde", // those that leave last: they and one more are a majority of five
        "abcde, abc, edcba", // those that leave first
        "abc, abd, adbc", // the new one and one restarted one are a majority, and so are the others
        "abc, abd, cbad"
    })
    void aChangeNodeByNodeNeverMakesTwoHoldersAndEndsInService(String before, String after, String order) {
        for (Duration pause : PAUSES) {
            for (int seed = 1; seed <= SEEDS; seed++) {
                ChangingCell cell = new ChangingCell(true, seed).start(before);

                cell.change(after, order, pause);

                cell.awaitService();
                cell.awaitAllServing();
                assertThat(cell.violation())
                        .as("pause %s, seed %s", pause, seed)
                        .isNull();
            }
        }
    }

    @Test
    void aChangeThatIsUndoneHalfWayNeverMakesTwoHoldersAndEndsInService() {
        for (Duration pause : PAUSES) {
            for (int seed = 1; seed <= SEEDS; seed++) {
                ChangingCell cell = new ChangingCell(true, seed).start("abc");

                cell.change("abcde", "bde", pause);
                cell.change("abc", "edb", pause);

                cell.awaitService();
                cell.awaitAllServing();
                assertThat(cell.violation())
                        .as("pause %s, seed %s", pause, seed)
                        .isNull();
            }
        }
    }

    /** The very same schedules: else the tests above would prove nothing. */
    @ParameterizedTest(name = "{0} to {1} in the order {2}")
    @CsvSource({
        "abc, abcde, bdCeac",
        "abc, abcde, decba",
        "abcde, abc, abDcde",
        "abc, abd, adbc",
        "abc, abcde, bde" // what is undone half way
    })
    void withoutTheGuardTheSameChangeMakesTwoHolders(String before, String after, String order) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            ChangingCell cell = new ChangingCell(false, seed).start(before);

            cell.change(after, order, SETTLED);

            assertThat(cell.violation()).as("seed %s", seed).contains("hold the lease");
        }
    }

    /** G2: one node is no majority of the list that it has by mistake, so the others need nothing from it. */
    @Test
    void oneOfThreeWithAWrongListCostsNothingAndServesOnceItIsRight() {
        ChangingCell cell = new ChangingCell(true, 1).start("abc");
        cell.awaitAllServing();
        char holder = Objects.requireNonNull(cell.holder());
        char wrong = holder == 'c' ? 'b' : 'c';
        char third = holder == 'a' ? (wrong == 'b' ? 'c' : 'b') : 'a';
        cell.longestGap();

        cell.restart(wrong, "abcx");
        cell.pass(LONG);
        assertThat(cell.longestGap()).isZero();
        assertThat(cell.serves(wrong)).isFalse();

        cell.restart(third, "abc");
        cell.pass(LONG);
        assertThat(cell.holder()).isNotNull();
        assertThat(cell.serves(third)).isTrue();
        assertThat(cell.serves(wrong)).isFalse();

        cell.restart(wrong, "abc");
        cell.awaitAllServing();
        assertThat(cell.violation()).isNull();
    }

    /** G4: those that start beside it are silent in its place. One whose clock was set has lost its memory, and starts again. */
    @Test
    void aNodeThatServesGoesOnUntilItsClockIsSet() {
        ChangingCell cell = new ChangingCell(true, 1).start("abc");
        cell.awaitAllServing();
        cell.longestGap();
        cell.restart('d', "ade");
        cell.restart('e', "ade");
        cell.pass(LONG);
        assertThat(List.of('a', 'b', 'c')).allMatch(cell::serves);
        assertThat(List.of('d', 'e')).noneMatch(cell::serves);
        assertThat(cell.longestGap()).isZero();

        cell.setClock('a', Duration.ofMillis(100));
        cell.pass(LONG);
        assertThat(cell.serves('a')).as("d and e are a majority of their list").isFalse();

        cell.restart('d', "");
        cell.restart('e', "");
        cell.awaitAllServing();
        assertThat(cell.violation()).isNull();
    }
}
