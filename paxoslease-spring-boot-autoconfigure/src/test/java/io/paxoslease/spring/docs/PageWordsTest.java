package io.paxoslease.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Pages use the words of the field: "must" for "shall", "except" for "but for", "participates" for "takes part". */
class PageWordsTest {

    private static final String FENCE = "```";
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern TARGET = Pattern.compile("]\\([^)]*\\)");

    private static final Pattern AVOIDED = Pattern.compile("(?i)\\b(?:shall|anew|nobody|whoever|somebody|beside"
            + "|(?:is|are) to be|by way of|all the same|but for|lets? go of|of whom"
            + "|t(?:akes?|ook|aking) part|(?:is|are) over(?=[.,;:)])|go(?:es)? on|went on)\\b");

    @Test
    void thePagesUsePlainWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path page : Pages.all()) {
            avoided(Files.readAllLines(page)).forEach(line -> found.add(Pages.ROOT.relativize(page) + ":" + line));
        }
        assertThat(found)
                .as("say it as to a colleague: must, except, still, again, compared with, has ended, continues")
                .isEmpty();
    }

    @Test
    void aWordToAvoidIsFoundOutsideOfCode() {
        assertThat(avoided(List.of(
                        "A node shall vote.",
                        "three members, of whom one is down",
                        "Nobody leads.",
                        "when the lease is over, it",
                        "| a | it goes on |",
                        FENCE,
                        "nobody",
                        FENCE,
                        "`nobody` leads",
                        "see [it](decisions/0016-tls-is-set-up-anew-connection-by-connection.md)",
                        "a takeover goes one way",
                        "explored over the core")))
                .extracting(line -> line.substring(0, line.indexOf(':')))
                .containsExactly("1", "2", "3", "4", "5");
    }

    /** Number and text of each line with such a word. */
    private static List<String> avoided(List<String> lines) {
        List<String> found = new ArrayList<>();
        boolean isCode = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            isCode ^= line.strip().startsWith(FENCE);
            String words = TARGET.matcher(CODE.matcher(line).replaceAll("`")).replaceAll("]");
            if (!isCode && AVOIDED.matcher(words).find()) {
                found.add(i + 1 + ": " + line.strip());
            }
        }
        return found;
    }
}
