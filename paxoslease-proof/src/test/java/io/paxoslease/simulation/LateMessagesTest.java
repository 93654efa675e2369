package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Section 9: messages that are late by more than a quarantine, while members move, restart, go back and seal. {@code -Dlate.seeds=N -Dlate.from=S} runs
 * more.
 */
@Tag("proof")
class LateMessagesTest {

    private static final long FROM = Long.getLong("late.from", 0);
    private static final long SEEDS = Long.getLong("late.seeds", 50);

    @Test
    void aMessageThatIsLateByMoreThanAQuarantineBreaksNoPromise() {
        List<String> violations = LongStream.range(FROM, FROM + SEEDS)
                .parallel()
                .mapToObj(seed -> String.valueOf(Simulation.violation(LateDraw::of, seed)))
                .filter(each -> !each.equals("null"))
                .limit(3)
                .toList();
        assertThat(violations).isEmpty();
    }
}
