package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Section 9: how often acceptors are asked where they stand. */
class GenerationPollsTest {

    private static final MemberList OLD = ChangingCell.list(Duration.ofSeconds(1), "a", "b", "c");

    private final GenerationPolls questions = new GenerationPolls();

    private static Generation next(int number, Duration longestLease) {
        return new Generation(number, ChangingCell.list(longestLease, "a", "b", "d"), OLD);
    }

    @Test
    void theyAreAskedFourTimesWithinTheQuarantineOfBothSettingsAndOnceASecondAtLeast() {
        Generation shortest = next(2, Duration.ofMillis(900));
        Generation longer = next(3, Duration.ofSeconds(2));
        Generation longest = next(4, Duration.ofHours(1));

        assertThat(questions.intervalNanos(shortest)).isEqualTo(OLD.timing().quarantineNanos() / 4);
        assertThat(questions.intervalNanos(longer))
                .as("of another generation")
                .isEqualTo(longer.current().timing().quarantineNanos() / 4);
        assertThat(questions.intervalNanos(longest))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(questions.intervalNanos(shortest))
                .as("of one that was asked about before")
                .isEqualTo(OLD.timing().quarantineNanos() / 4);
    }
}
