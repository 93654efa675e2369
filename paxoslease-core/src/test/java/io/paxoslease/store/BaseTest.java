package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is known of one of several stores, by what becomes of its accesses. */
class BaseTest {

    private static final Duration PATIENCE = Duration.ofMillis(200);

    private long nanos = Long.MAX_VALUE - 5; // it may overflow
    private final Replica base =
            new Replica(MonotonicRegister.of(new MapRegister("B", true)), "2 of 3", PATIENCE, () -> nanos);

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    private void answer(int times) {
        for (int i = 0; i < times; i++) {
            base.begun();
            base.answered();
        }
    }

    @Test
    void aStoreThatFailsNowAndThenIsToldOfOnceUntilItHasAnsweredForAWhile() {
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            answer(1);
            assertThat(base.trouble()).isNull();
            base.begun();
            base.failed("out of order");
            assertThat(base.trouble()).isEqualTo("out of order");
            answer(Replica.ANSWERS - 1);
            base.begun();
            base.failed("disk full");
            answer(Replica.ANSWERS - 1);
            assertThat(base.trouble()).isEqualTo("disk full");
            assertThat(log.lines())
                    .containsExactly(
                            "WARN A store of a reliable register fails: 2 of 3, map B: out of order. The register works as long as a majority of its stores does");
            answer(1);
            assertThat(base.trouble()).isNull();
            assertThat(log.lines())
                    .hasSize(2)
                    .contains("INFO A store of a reliable register answers again: 2 of 3, map B");
        }
    }

    @Test
    void aStoreIsMissingWhenItHasBeenSilentForLongerThanThePatienceTwice() {
        base.begun();
        pass(200);
        base.passedOver();
        base.passedOver();
        assertThat(base.trouble()).isNull();
        pass(1);
        base.passedOver();
        assertThat(base.trouble()).as("the machine may have stood still").isNull();
        base.begun();
        base.passedOver();
        assertThat(base.trouble()).isEqualTo(Replica.NO_ANSWER);
    }

    /** The others are always faster. */
    @Test
    void aSlowStoreIsNotMissing() {
        for (int i = 0; i < 5; i++) {
            base.begun();
            base.begun();
            pass(150);
            base.passedOver();
            base.answered();
            base.passedOver();
            pass(150);
            base.answered();
        }
        assertThat(base.trouble()).isNull();
    }

    /** Of one thread, in a call that never ends; or that ended in a way that nobody heard of. */
    @Test
    void oneAccessThatHangsForEverDoesNotCountForLong() {
        base.begun();
        pass(300);
        base.passedOver();
        base.passedOver();
        assertThat(base.trouble()).isEqualTo(Replica.NO_ANSWER);
        for (int i = 0; i < Replica.ANSWERS; i++) {
            pass(10_000);
            base.begun();
            base.passedOver();
            base.answered();
        }
        assertThat(base.trouble()).isNull();
    }

    @Test
    void aStoreThatIsNotAskedOwesNoAnswer() {
        answer(1);
        pass(10_000);
        base.passedOver();
        base.begun();
        base.passedOver();
        base.passedOver();
        assertThat(base.trouble()).isNull();
    }
}
