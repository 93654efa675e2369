package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "report", "lock:a b/c", "Rechnungen für März", "请求", "\ud83d\ude00", "a\\b", "~\u00a0"})
    void whatCanBeSeenStaysAsItIs(String name) {
        assertThat(Printable.name(name)).isSameAs(name);
    }

    @ParameterizedTest
    @CsvSource({
        "13, \\u000d",
        "10, \\u000a",
        "0, \\u0000",
        "27, \\u001b",
        "133, \\u0085",
        "8232, \\u2028",
        "8233, \\u2029"
    })
    void aCharacterThatEndsLinesOrSteersTerminalsIsWrittenAsItsNumber(int character, String form) {
        assertThat(Printable.name("a" + (char) character + "b")).isEqualTo("a" + form + "b");
    }

    @ParameterizedTest
    @CsvSource({"8238, \\u202e", "8203, \\u200b", "65279, \\ufeff", "917505, \\U000e0001"})
    void aCharacterThatIsNotSeenIsWrittenAsItsNumber(int codePoint, String form) {
        assertThat(Printable.name("a" + Character.toString(codePoint) + "b")).isEqualTo("a" + form + "b");
    }

    @ParameterizedTest
    @CsvSource({"host, host:7400", "10.0.0.7, 10.0.0.7:7400", "::1, [::1]:7400", "fe80::1%eth0, [fe80::1%eth0]:7400"})
    void anIpv6AddressStandsInBrackets(String host, String address) {
        assertThat(Printable.address(host, 7400)).isEqualTo(address);
    }

    @Test
    void halfOfASurrogatePairIsWrittenAsItsNumber() {
        assertThat(Printable.name("a\ud83d")).isEqualTo("a\\ud83d");
    }

    @Test
    void aLongNameIsCutButNeverInsideOfACharacter() {
        String longest = "x".repeat(Printable.MAX_NAME);
        assertThat(Printable.name(longest)).isEqualTo(longest);
        assertThat(Printable.name(longest + "y")).isEqualTo(longest + "…");
        assertThat(Printable.name("x".repeat(254) + "\n")).isEqualTo("x".repeat(254) + "…");
        assertThat(Printable.name("x".repeat(254) + "\ud83d\ude00")).isEqualTo("x".repeat(254) + "…");
        assertThat(Printable.name("\n".repeat(100_000))).hasSize(252 + 1);
    }

    @Test
    void aTextIsCutLater() {
        assertThat(Printable.text("x".repeat(2_000))).isEqualTo("x".repeat(Printable.MAX_TEXT) + "…");
        assertThat(Printable.line("x".repeat(8_000) + "\n")).isEqualTo("x".repeat(8_000) + "\\u000a");
        assertThat(Printable.line("x".repeat(9_000))).isEqualTo("x".repeat(Printable.MAX_LINE) + "…");
    }

    @Test
    void nothingIsWrittenAsSuch() {
        assertThat(Printable.name(null)).isEqualTo("null");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\nb",
                "a\u0000b",
                "a\u202eb",
                "a\u2028b",
                "a\u200bb",
                "a\ufeff",
                "a b",
                "a\u00a0b",
                "a\u3000b",
                ""
            })
    void aNodeIdHasNoCharacterThatIsNotSeen(String id) {
        assertThat(NodeId.isValidName(id)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "app-0", "app-0.shop.svc", "knoten-ä", "节点"})
    void aNodeIdMayHaveLettersOfAnyScript(String id) {
        assertThat(NodeId.isValidName(id)).isTrue();
    }
}
