package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The order of rounds. */
class RoundTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");

    @Test
    void theSlotComesBeforeTheDrawAndTheDrawBeforeTheNode() {
        List<Round> ordered = List.of(
                Round.NONE,
                new Round(1, 0, A),
                new Round(1, 0, B),
                new Round(1, 1, A),
                new Round(1, Long.MAX_VALUE, B),
                new Round(2, 0, A));
        assertThat(ordered).isSorted();
        assertThat(new Round(1, 0, B)).isGreaterThan(new Round(1, 0, A));
        assertThat(ordered.stream().sorted(Comparator.reverseOrder()).sorted().toList())
                .isEqualTo(ordered);
    }

    /** Clocks within the bound of each other fall into neighbouring slots at most; comparing them pairwise would have cycles. */
    @Test
    void theOrderIsTransitive() {
        SplittableRandom random = new SplittableRandom(7);
        List<Round> rounds = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            rounds.add(new Round(random.nextLong(3), random.nextLong(3), random.nextBoolean() ? A : B));
        }
        for (Round x : rounds) {
            for (Round y : rounds) {
                assertThat(Integer.signum(x.compareTo(y))).isEqualTo(-Integer.signum(y.compareTo(x)));
                for (Round z : rounds) {
                    if (x.isAbove(y) && y.isAbove(z)) {
                        assertThat(x).isGreaterThan(z);
                    }
                }
            }
        }
    }

    @Test
    void theNextRoundIsAboveWhateverCameBefore() {
        SplittableRandom random = new SplittableRandom(8);
        Round last = Round.NONE;
        for (int i = 0; i < 1_000; i++) {
            Round next = Round.above(last, 5 + i / 100 - i % 3, A, random);
            assertThat(next).isGreaterThan(last);
            assertThat(next.draw()).isNotNegative();
            last = next;
        }
    }

    @Test
    void aSlotThatIsFullIsLeft() {
        Round next = Round.above(new Round(5, Long.MAX_VALUE, B), 5, A, new SplittableRandom(9));
        assertThat(next.slot()).isEqualTo(6);
    }

    @Test
    void withinASlotChanceDecidesAndNotTheName() {
        SplittableRandom random = new SplittableRandom(10);
        int firstWins = 0;
        for (int i = 0; i < 1_000; i++) {
            firstWins += Round.above(Round.NONE, 5, A, random).isAbove(Round.above(Round.NONE, 5, B, random)) ? 1 : 0;
        }
        assertThat(firstWins).isBetween(400, 600);
    }
}
