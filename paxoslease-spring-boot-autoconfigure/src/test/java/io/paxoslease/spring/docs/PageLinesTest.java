package io.paxoslease.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The prose of a page is wrapped: a diff of a sentence then shows no whole paragraph. */
class PageLinesTest {

    private static final int LONGEST = 120;
    private static final Pattern FENCE = Pattern.compile(" *```.*");

    /** A link or a piece of code is not broken. */
    private static final Pattern UNBREAKABLE = Pattern.compile("]\\([^)]{60,}\\)|`[^`]{60,}`");

    @Test
    void noLineOfProseIsTooLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : Pages.all()) {
            longLines(Files.readAllLines(page)).forEach(line -> tooLong.add(Pages.ROOT.relativize(page) + ":" + line));
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void aLongLineIsFound() {
        String words = "word ".repeat(25);
        String link = "[a](" + "b".repeat(LONGEST) + ")";
        assertThat(longLines(List.of("short", words, "| " + words + " |", "```", words, "```", link, words)))
                .containsExactly(2, 8);
    }

    /** The numbers of the lines that are neither code nor a row of a table. */
    private static List<Integer> longLines(List<String> lines) {
        List<Integer> found = new ArrayList<>();
        boolean isCode = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            isCode ^= FENCE.matcher(line).matches();
            if (!isCode && isTooLong(line)) {
                found.add(i + 1);
            }
        }
        return found;
    }

    private static boolean isTooLong(String line) {
        return line.length() > LONGEST
                && !line.startsWith("|")
                && !UNBREAKABLE.matcher(line).find();
    }
}
