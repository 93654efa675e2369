package io.paxoslease.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegisterNamesTest {

    private static final String DIGEST_OF_201 = "a92efd82109373e58f9a2056dee01e807e216ce6075f7051207c0a9f7d666e50";

    @Test
    void theKeyOfAShortNameTellsTheName() {
        Random random = new Random(7);
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String name = name(random, 1 + random.nextInt(6));
            String key = RegisterNames.key(name);
            assertThat(key).matches("[a-z0-9._=-]{1,200}").isEqualTo(key.toLowerCase(Locale.ROOT));
            assertThat(RegisterNames.name(key)).isEqualTo(name);
            assertThat(names.getOrDefault(key, name)).isEqualTo(name);
            names.put(key, name);
        }
    }

    @Test
    void theKeyOfALongNameFitsAndHasTheKeyOfEveryPrefixAsItsPrefix() {
        Random random = new Random(8);
        for (int i = 0; i < 2_000; i++) {
            String name = name(random, 85);
            if (name.getBytes(StandardCharsets.UTF_8).length <= 255) {
                String key = RegisterNames.key(name);
                assertThat(key).matches("[a-z0-9._=~-]{1,200}");
                int cut = name.offsetByCodePoints(0, random.nextInt(name.codePointCount(0, name.length()) + 1));
                assertThat(key).startsWith(RegisterNames.keyPrefix(name.substring(0, cut)));
            }
        }
    }

    /** Clients of different versions have to find the same register. */
    @Test
    void keysStayAsTheyAre() {
        assertThat(RegisterNames.key("Role/1")).isEqualTo("=52ole=2f1");
        assertThat(RegisterNames.key("a.")).isEqualTo("a=2e");
        assertThat(RegisterNames.key("a".repeat(200))).isEqualTo("a".repeat(200));
        assertThat(RegisterNames.key("a".repeat(201))).isEqualTo("a".repeat(100) + "~" + DIGEST_OF_201);
    }

    @Test
    void whatIsNoKeyOfANameTellsNone() {
        for (String key : new String[] {"", "A", "=5", "=zz", "=61", "a~b", "ä", "=ff", "=C3=A4", "a.", "."}) {
            assertThat(RegisterNames.name(key)).as(key).isNull();
        }
    }

    private static String name(Random random, int length) {
        String alphabet = "abAB01=~%_./\\ :äÖ😀";
        int[] points = alphabet.codePoints().toArray();
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < length; i++) {
            name.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return name.toString();
    }
}
