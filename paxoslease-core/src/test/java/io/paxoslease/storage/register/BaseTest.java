package io.paxoslease.storage.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is known of one of several stores, by what becomes of its accesses. */
class BaseTest {

    private static final Duration PATIENCE = Duration.ofMillis(200);

    private long nanos = Long.MAX_VALUE - 5; // it may overflow
    private final Base base = new Base(Rising.of(new MapRegister("B", true)), "2 of 3", PATIENCE, () -> nanos);

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
            answer(Base.ANSWERS - 1);
            base.begun();
            base.failed("disk full");
            answer(Base.ANSWERS - 1);
            assertThat(base.trouble()).isEqualTo("disk full");
            assertThat(log.lines())
                    .containsExactly(
                            "WARN A reliable register goes on without one of its stores: 2 of 3, map B: out of order. See to it before another one fails");
            answer(1);
            assertThat(base.trouble()).isNull();
            assertThat(log.lines())
                    .hasSize(2)
                    .contains("INFO A store of a reliable register answers again: 2 of 3, map B");
        }
    }

    @Test
    void aStoreIsMissingWhenItHasBeenSilentForLongerThanThePatience() {
        base.begun();
        pass(100);
        base.begun();
        base.passedOver(false);
        pass(100);
        base.passedOver(false);
        assertThat(base.trouble()).isNull();
        pass(1);
        base.begun();
        base.passedOver(true);
        assertThat(base.trouble()).isEqualTo(Base.NO_ANSWER);
    }

    /** The others are always faster. */
    @Test
    void aSlowStoreIsNotMissing() {
        for (int i = 0; i < 5; i++) {
            base.begun();
            base.begun();
            pass(150);
            base.passedOver(false);
            base.answered();
            pass(150);
            base.passedOver(false);
            base.answered();
        }
        assertThat(base.trouble()).isNull();
    }

    @Test
    void aStoreThatIsNotAskedOwesNoAnswer() {
        answer(1);
        pass(10_000);
        base.begun();
        base.passedOver(true);
        pass(10_000);
        base.begun();
        base.passedOver(false);
        assertThat(base.trouble()).isNull();
    }
}
