package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ShardsOptionsTest {

    @Test
    void withoutOptionsItIsFencedAndHasItsOwnDatabase() {
        assertThat(ShardsOptions.parse()).isEqualTo(new ShardsOptions(5, 3, true, 7431, "", "", ""));
    }

    @Test
    void everythingCanBeChosen() {
        assertThat(ShardsOptions.parse(
                        "--kills=20",
                        "--instances=5",
                        "--fenced=false",
                        "--base-port=20000",
                        "--db.url=jdbc:postgresql://localhost/test?a=b",
                        "--db.username=me",
                        "--db.password=secret"))
                .isEqualTo(new ShardsOptions(
                        20, 5, false, 20_000, "jdbc:postgresql://localhost/test?a=b", "me", "secret"));
    }

    @Test
    void whatIsWrongIsNamed() {
        assertRefused("--kills=-1", "--kills is a number from 0 to 10000, not '-1'");
        assertRefused("--instances=2", "--instances is a number from 3 to 9, not '2'");
        assertRefused("--fenced=no", "--fenced is true or false, not 'no'");
        assertRefused("--fenced", "--fenced needs a value: --fenced=...");
        assertRefused("--base-port=65534", "--base-port is a number from 1 to 65533, not '65534'");
        assertRefused("--base-port=a", "--base-port is a number from 1 to 65533, not 'a'");
        assertRefused("--unfenced=1", "Unknown option --unfenced");
    }

    private static void assertRefused(String option, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ShardsOptions.parse(option))
                .withMessage(message);
    }
}
