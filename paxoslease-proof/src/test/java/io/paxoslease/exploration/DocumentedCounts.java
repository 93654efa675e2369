package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The numbers of states on the page about simulation. */
final class DocumentedCounts {

    private static final Path PAGE = Path.of("..", "docs", "simulation.md");

    private DocumentedCounts() {}

    /** The page has this number: of a world that has been explored completely, and is not among the large ones. */
    static void assertKnown(long states) {
        if (!Depth.isLarge()) {
            try {
                String number = String.format(Locale.ROOT, "%,d", states);
                assertThat(Files.readString(PAGE))
                        .as("docs/simulation.md has the count of %s states", number)
                        .containsPattern("[| ]" + number + "[ ;]");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
