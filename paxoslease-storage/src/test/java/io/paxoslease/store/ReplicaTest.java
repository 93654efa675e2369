package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is known of one of several stores, by what becomes of its accesses. */
class ReplicaTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);

    private long nanos = Long.MAX_VALUE - 5; // it may overflow
    private final Replica replica =
            new Replica(MonotonicRegister.of(new MapRegister("B", true)), "2 of 3", TIMEOUT, () -> nanos);

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    private void answer(int times) {
        for (int i = 0; i < times; i++) {
            replica.begun();
            replica.answered();
        }
    }

    @Test
    void aStoreThatFailsNowAndThenIsToldOfOnceUntilItHasAnsweredForAWhile() {
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            answer(1);
            assertThat(replica.trouble()).isNull();
            replica.begun();
            replica.failed("out of order");
            assertThat(replica.trouble()).isEqualTo("out of order");
            answer(Replica.ANSWERS - 1);
            replica.begun();
            replica.failed("disk full");
            answer(Replica.ANSWERS - 1);
            assertThat(replica.trouble()).isEqualTo("disk full");
            assertThat(log.lines())
                    .containsExactly(
                            "WARN A store of a reliable register fails: 2 of 3, map B: out of order. The register works as long as a majority of its stores does");
            answer(1);
            assertThat(replica.trouble()).isNull();
            assertThat(log.lines())
                    .hasSize(2)
                    .contains("INFO A store of a reliable register answers again: 2 of 3, map B");
        }
    }

    /** As one that has lost writes does, for each register that was in it. */
    @Test
    void aStoreThatComesAndGoesIsToldOfOnceAMinute() {
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            for (int i = 0; i < 50; i++) {
                replica.begun();
                replica.failed("it has gone back");
                answer(Replica.ANSWERS);
                pass(1_000);
            }
            assertThat(log.lines()).hasSize(2);
            pass(10_000);
            replica.begun();
            replica.failed("out of order");
            assertThat(log.lines()).hasSize(3).last().asString().contains("out of order");
        }
    }

    @Test
    void aStoreIsMissingWhenItHasBeenSilentForLongerThanThePatienceTwice() {
        replica.begun();
        pass(200);
        replica.passedOver();
        replica.passedOver();
        assertThat(replica.trouble()).isNull();
        pass(1);
        replica.passedOver();
        assertThat(replica.trouble()).as("the machine may have stood still").isNull();
        replica.begun();
        replica.passedOver();
        assertThat(replica.trouble()).isEqualTo(Replica.NO_ANSWER);
    }

    /** The others are always faster. */
    @Test
    void aSlowStoreIsNotMissing() {
        for (int i = 0; i < 5; i++) {
            replica.begun();
            replica.begun();
            pass(150);
            replica.passedOver();
            replica.answered();
            replica.passedOver();
            pass(150);
            replica.answered();
        }
        assertThat(replica.trouble()).isNull();
    }

    /** Of one thread, in a call that never ends; or that ended in a way that nobody heard of. */
    @Test
    void oneAccessThatHangsForEverDoesNotCountForLong() {
        replica.begun();
        pass(300);
        replica.passedOver();
        replica.passedOver();
        assertThat(replica.trouble()).isEqualTo(Replica.NO_ANSWER);
        for (int i = 0; i < Replica.ANSWERS; i++) {
            pass(10_000);
            replica.begun();
            replica.passedOver();
            replica.answered();
        }
        assertThat(replica.trouble()).isNull();
    }

    @Test
    void aStoreThatIsNotAskedOwesNoAnswer() {
        answer(1);
        pass(10_000);
        replica.passedOver();
        replica.begun();
        replica.passedOver();
        replica.passedOver();
        assertThat(replica.trouble()).isNull();
    }
}
