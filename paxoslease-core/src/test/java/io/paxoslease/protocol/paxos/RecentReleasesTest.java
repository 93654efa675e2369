package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecentReleasesTest {

    private static final int MAX = 1_024;
    private static final Timing TIMING = new Timing(Duration.ofMillis(1_000), 0.10);

    private final RecentReleases releases = new RecentReleases(TIMING);

    private static Release release(String resource, long counter) {
        return new Release(resource, new Incarnation(1, 1), counter);
    }

    @Test
    void aReleaseIsRepeatedUntilNoRecordCanBeLeftForIt() {
        releases.add(release("r", 1), new Moment(0));
        assertThat(releases.recent(new Moment(TIMING.quarantineNanos() - 1))).containsExactly(release("r", 1));
        assertThat(releases.recent(new Moment(TIMING.quarantineNanos()))).isEmpty();
        assertThat(releases.recent(new Moment(0))).as("kept no longer").isEmpty();
    }

    @Test
    void theOldestIsDroppedFirstAndAnotherReleaseMakesAResourceYoung() {
        for (int i = 0; i < MAX; i++) {
            releases.add(release("r" + i, 1), new Moment(i));
        }
        releases.add(release("r0", 2), new Moment(MAX));
        releases.add(release("one more", 1), new Moment(MAX));

        assertThat(releases.recent(new Moment(MAX)))
                .hasSize(MAX)
                .contains(release("r0", 2))
                .doesNotContain(release("r1", 1));
    }
}
