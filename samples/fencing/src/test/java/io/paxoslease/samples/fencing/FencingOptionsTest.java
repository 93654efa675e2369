package io.paxoslease.samples.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class FencingOptionsTest {

    @Test
    void withoutOptionsItIsFencedAndHasItsOwnDatabase() {
        assertThat(FencingOptions.parse()).isEqualTo(new FencingOptions(true, 7411, "", "", ""));
    }

    @Test
    void everythingCanBeChosen() {
        assertThat(FencingOptions.parse(
                        "--fenced=false",
                        "--base-port=20000",
                        "--db.url=jdbc:postgresql://localhost/test?a=b",
                        "--db.username=me",
                        "--db.password=secret"))
                .isEqualTo(new FencingOptions(false, 20_000, "jdbc:postgresql://localhost/test?a=b", "me", "secret"));
    }

    @Test
    void whatIsWrongIsNamed() {
        assertRefused("--fenced=no", "--fenced is true or false, not 'no'");
        assertRefused("--fenced", "--fenced needs a value: --fenced=...");
        assertRefused("--base-port=65534", "--base-port needs a port number, not '65534'");
        assertRefused("--base-port=a", "--base-port needs a port number, not 'a'");
        assertRefused("--unfenced=1", "Unknown option --unfenced");
    }

    private static void assertRefused(String option, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingOptions.parse(option))
                .withMessage(message);
    }
}
