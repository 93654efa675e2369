package io.paxoslease.node.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.storage.RegisterMessage.Done;
import io.paxoslease.protocol.storage.RegisterMessage.Failed;
import org.junit.jupiter.api.Test;

class StoreTroublesTest {

    private static final long BOUND = 100_000_000;
    private static final Moment START = new Moment(0);

    private final StoreTroubles troubles = new StoreTroubles();

    private void ends(String register, boolean isDone) {
        troubles.begun(register, START);
        troubles.ended(register, isDone ? new Done(1, true) : new Failed(1, "java.io.IOException: " + register));
    }

    @Test
    void aRegisterThatFailsIsNamedUntilItWorks() {
        assertThat(troubles.of("torn", BOUND, START)).isNull();
        ends("torn", false);
        ends("whole", true);
        assertThat(troubles.of("torn", BOUND, START)).isEqualTo("torn");
        assertThat(troubles.of("whole", BOUND, START)).isNull();
        troubles.begun("torn", START);
        assertThat(troubles.of("torn", BOUND, START)).as("asked again").isEqualTo("torn");
        ends("torn", true);
        assertThat(troubles.of("torn", BOUND, START)).isNull();
    }

    /** A lease may need several registers. */
    @Test
    void otherwiseTheLatestAccessIs() {
        ends("other", false);
        assertThat(troubles.of("lease", BOUND, START)).isEqualTo("other");
        troubles.begun("lease", START);
        assertThat(troubles.of("lease", BOUND, START)).isEqualTo("other");
        ends("third", true);
        assertThat(troubles.of("lease", BOUND, START)).isNull();
    }

    @Test
    void anAccessWithoutAnAnswerIsNamedAfterTheBound() {
        troubles.begun("hangs", START);
        assertThat(troubles.of("hangs", BOUND, START.plusNanos(BOUND - 1))).isNull();
        assertThat(troubles.of("hangs", BOUND, START.plusNanos(BOUND))).isEqualTo("no answer within 100 ms");
        troubles.ended("hangs", new Done(1, true));
        assertThat(troubles.of("hangs", BOUND, START.plusNanos(BOUND))).isNull();
    }

    @Test
    void thoseThatFailedLongAgoAreForgotten() {
        for (int i = 0; i < 2_000; i++) {
            ends("r" + i, false);
        }
        ends("whole", true);
        assertThat(troubles.of("r0", BOUND, START)).isNull();
        assertThat(troubles.of("r1999", BOUND, START)).isEqualTo("r1999");
    }
}
