package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ElectionOptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final ElectionOptions DEFAULTS = ElectionOptions.defaults();

    @Test
    void optionsOutOfBoundsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder().leaseTime(Duration.ZERO).build())
                .withMessage("The lease time of a role must be positive, not PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DEFAULTS.toBuilder().leaseTime(Duration.ofNanos(-1)).build());
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DEFAULTS.toBuilder().coolDown(Duration.ofNanos(-1)).build())
                .withMessageContaining("must be zero or more and at most a day, not PT-0.000000001S");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.toBuilder()
                .coolDown(Duration.ofDays(1).plusNanos(1))
                .build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder()
                        .reportEvery(Duration.ofNanos(999_999))
                        .build())
                .withMessageContaining("at least a millisecond, not PT0.000999999S");
        assertThatNullPointerException()
                .isThrownBy(() -> ElectionOptions.builder().coolDown(missing()).build())
                .withMessage("coolDown");
    }

    @SuppressWarnings("NullAway")
    private static Duration missing() {
        return null;
    }

    @Test
    void optionsAtTheirBoundsAreTaken() {
        assertThat(DEFAULTS)
                .isEqualTo(ElectionOptions.builder().coolDown(SECOND).build());
        assertThat(DEFAULTS.toBuilder()
                        .leaseTime(Duration.ofNanos(1))
                        .coolDown(Duration.ZERO)
                        .reportEvery(MILLI)
                        .build())
                .isEqualTo(ElectionOptions.builder()
                        .leaseTime(Duration.ofNanos(1))
                        .coolDown(Duration.ZERO)
                        .reportEvery(MILLI)
                        .build());
        assertThat(DEFAULTS.toBuilder().coolDown(Duration.ofDays(1)).build().coolDown())
                .isEqualTo(Duration.ofDays(1));
        assertThat(DEFAULTS.toBuilder().leaseTime(SECOND).leaseTime(null).build())
                .isEqualTo(DEFAULTS);
    }
}
