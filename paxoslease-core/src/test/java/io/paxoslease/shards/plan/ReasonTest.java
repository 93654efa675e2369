package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReasonTest {

    @ParameterizedTest
    @EnumSource(Reason.Kind.class)
    void everyReasonHasWords(Reason.Kind kind) {
        assertThat(new Reason(kind, "n2", Duration.ofMillis(40)).text())
                .isNotBlank()
                .endsWith(", for 40 ms at most");
        assertThat(new Reason(kind, null, null).text()).doesNotContain("null");
    }
}
