package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import java.lang.management.ManagementFactory;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestartHistoryTest {

    private static final long MILLI = 1_000_000;

    private final String cell = "cell-" + UUID.randomUUID();
    private final RestartHistory lives = new RestartHistory(cell, "a");

    @AfterEach
    void forget() {
        System.clearProperty("io.paxoslease.life." + cell + "/a");
        System.clearProperty("io.paxoslease.life." + cell + "/b");
    }

    @Test
    void aFirstLifeLostItsMemoryWhenTheProcessStarted() {
        Moment now = new Moment(Long.MIN_VALUE + 5);
        long before = ManagementFactory.getRuntimeMXBean().getUptime();
        long age = lives.memoryLostAt(now).nanosUntil(now) / MILLI;
        long after = ManagementFactory.getRuntimeMXBean().getUptime();

        assertThat(age).isBetween(before, after);
    }

    @Test
    void aSecondLifeLostItsMemoryWhenTheFirstOneEnded() {
        Moment end = new Moment(Long.MAX_VALUE - 3);
        lives.begin();
        lives.end(end);

        assertThat(lives.memoryLostAt(end.plusNanos(7))).isEqualTo(end);
        assertThat(new RestartHistory(cell, "a").memoryLostAt(end.plusNanos(7))).isEqualTo(end);
    }

    @Test
    void ofSeveralLivesTheLastOneCounts() {
        lives.begin();
        lives.end(new Moment(1_000));
        lives.begin();
        lives.end(new Moment(-2_000));

        assertThat(lives.memoryLostAt(new Moment(5_000))).isEqualTo(new Moment(-2_000));
    }

    /** A life that did not end by a stop may have answered until now. */
    @Test
    void aLifeThatNeverEndedLosesItsMemoryNow() {
        lives.begin();

        assertThat(lives.memoryLostAt(new Moment(42))).isEqualTo(new Moment(42));
    }

    @Test
    void aLifeThatEndedAfterAQuarantineWasCountedIsNoticed() {
        Moment now = new Moment(9_000);
        Moment longAgo = new Moment(Long.MIN_VALUE / 2);
        assertThat(lives.mayHaveLivedSince(longAgo, now)).as("there was none").isFalse();
        lives.begin();
        assertThat(lives.mayHaveLivedSince(new Moment(500), now))
                .as("it may live yet")
                .isTrue();
        lives.end(new Moment(1_000));
        assertThat(lives.mayHaveLivedSince(new Moment(999), now)).isTrue();
        assertThat(lives.mayHaveLivedSince(new Moment(1_000), now)).isFalse();
    }

    @Test
    void nodesHaveLivesOfTheirOwn() {
        lives.begin();
        lives.end(new Moment(1));

        assertThat(new RestartHistory(cell, "b").memoryLostAt(new Moment(2))).isNotEqualTo(new Moment(1));
    }

    @Test
    void aLaterLifeKnowsTheCountersThatWereUsed() {
        assertThat(lives.highestToken()).isZero();
        lives.used(1_795_325_558_302_001L);

        assertThat(new RestartHistory(cell, "a").highestToken()).isEqualTo(1_795_325_558_302_001L);
        assertThat(new RestartHistory(cell, "b").highestToken()).isZero();
    }

    @Test
    void aLifeThatHasUsedNoneLeavesThemAsTheyAre() {
        lives.used(7);
        lives.used(0);

        assertThat(lives.highestToken()).isEqualTo(7);
    }
}
