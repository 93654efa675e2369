package io.paxoslease.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {

    private static final Map<String, Integer> DEFAULTS = Map.of("rounds", 5, "round-s", 6);

    @Test
    void whatIsGivenReplacesTheDefault() {
        Options options = Options.parse(DEFAULTS, "--rounds=3");

        assertThat(options.get("rounds")).isEqualTo(3);
        assertThat(options.get("round-s")).isEqualTo(6);
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(DEFAULTS, "--runs=3"))
                .withMessage("Unknown option --runs");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(DEFAULTS, "--rounds=0"))
                .withMessage("Not a positive number: --rounds=0");
    }
}
