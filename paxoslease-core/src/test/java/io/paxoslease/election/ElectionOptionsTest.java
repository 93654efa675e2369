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
                .isThrownBy(() -> DEFAULTS.withLeaseTime(Duration.ZERO))
                .withMessage("The lease time of a role must be positive, not PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withLeaseTime(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.withCoolDown(Duration.ofNanos(-1)))
                .withMessageContaining("must be zero or more and at most a day, not PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.withCoolDown(Duration.ofDays(1).plusNanos(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.reportingEvery(Duration.ofNanos(999_999)))
                .withMessageContaining("at least a millisecond, not PT0.000999999S");
        assertThatNullPointerException()
                .isThrownBy(() -> new ElectionOptions(null, missing(), null))
                .withMessage("coolDown");
    }

    @SuppressWarnings("NullAway")
    private static Duration missing() {
        return null;
    }

    @Test
    void optionsAtTheirBoundsAreTaken() {
        assertThat(DEFAULTS).isEqualTo(new ElectionOptions(null, SECOND, null));
        assertThat(DEFAULTS.withLeaseTime(Duration.ofNanos(1))
                        .withCoolDown(Duration.ZERO)
                        .reportingEvery(MILLI))
                .isEqualTo(new ElectionOptions(Duration.ofNanos(1), Duration.ZERO, MILLI));
        assertThat(DEFAULTS.withCoolDown(Duration.ofDays(1)).coolDown()).isEqualTo(Duration.ofDays(1));
        assertThat(DEFAULTS.withLeaseTime(SECOND).withLeaseTime(null)).isEqualTo(DEFAULTS);
    }
}
