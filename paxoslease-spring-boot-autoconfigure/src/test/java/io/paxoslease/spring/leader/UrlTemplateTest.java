package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTemplateTest {

    /** A file of properties keeps the blanks at the end of a line. */
    @ParameterizedTest
    @ValueSource(strings = {"http://{node-id}.shop ", " http://{node-id}.shop", "http://{node-id}.shop/ "})
    void blanksAroundItAreNoPartOfIt(String text) {
        assertThat(Objects.requireNonNull(UrlTemplate.parse(text)).of("m", "")).isEqualTo(URI.create("http://m.shop"));
    }
}
