package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Nominated.Waiting;
import io.paxoslease.protocol.NodeId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which candidate leads after a leader that stops now. Times in seconds before that. */
class SuccessionTest {

    private static final long NOW = 1_700_000_000_000_000L;
    private static final int LONG_AGO = 600;

    private static long ago(int seconds) {
        return NOW - TimeUnit.SECONDS.toMicros(seconds);
    }

    private static Waiting waiting(String node, int seconds) {
        return new Waiting(new NodeId(node), ago(seconds), true);
    }

    /** @param contested when the leader began to contest the role */
    private static @Nullable String next(int contested, int led, List<String> preference, Waiting... waiting) {
        Waiting next = new Succession(preference, ago(contested), ago(led)).choose(List.of(waiting), NOW);
        return next == null ? null : next.node().name();
    }

    private static @Nullable String next(int contested, int led, Waiting... waiting) {
        return next(contested, led, List.of(), waiting);
    }

    @Test
    void theYoungestThatIsNewerAndProvenComesFirst() {
        assertThat(next(300, LONG_AGO, waiting("a", 400), waiting("b", 200), waiting("c", 60), waiting("d", 59)))
                .isEqualTo("c");
    }

    @Test
    void withoutOneTheYoungestThatIsNewerAndHasWaitedForTenSeconds() {
        assertThat(next(300, LONG_AGO, waiting("a", 400), waiting("b", 50), waiting("c", 10), waiting("d", 9)))
                .isEqualTo("c");
    }

    @Test
    void withoutOneTheYoungestThatIsProvenAndElseNone() {
        assertThat(next(100, LONG_AGO, waiting("a", 400), waiting("b", 200), waiting("d", 9)))
                .isEqualTo("b");
        assertThat(next(30, LONG_AGO, waiting("a", 40), waiting("d", 9))).isNull();
    }

    @Test
    void afterLessThanAMinuteOfLeadershipTheYoungestThatIsNewer() {
        assertThat(next(300, 59, waiting("a", 400), waiting("b", 200), waiting("c", 1)))
                .isEqualTo("c");
        assertThat(next(300, 60, waiting("a", 400), waiting("b", 200), waiting("c", 1)))
                .isEqualTo("b");
        assertThat(next(300, 1, waiting("a", 400), waiting("b", 301)))
                .as("none is newer")
                .isEqualTo("b");
    }

    @Test
    void aPreferredOneMustBeReady() {
        assertThat(next(300, 1, List.of("c", "a"), waiting("a", 400), waiting("b", 200), waiting("c", 1)))
                .isEqualTo("a");
        assertThat(next(300, 1, List.of("c", "a"), waiting("b", 200), waiting("c", 10)))
                .isEqualTo("c");
    }
}
