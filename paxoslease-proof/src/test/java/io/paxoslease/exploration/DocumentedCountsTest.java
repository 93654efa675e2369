package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages say how many rules are broken on purpose, and there are as many; the README is short and says what they say. */
@Tag("proof")
class DocumentedCountsTest {

    private static final Path ROOT = Path.of("..");

    /** Some are found in two ways. Those of Flease are among the latter. */
    private final int all = (int)
            Stream.concat(Mutants.all().stream(), ShellMutants.all().stream().map(ShellMutants.Case::mutant))
                    .map(mutant -> mutant.id)
                    .distinct()
                    .count();

    private final int flease = FleaseMutants.all().size();

    @Test
    void theReadmeCountsTheMutantsOfTheDefaultAlgorithm() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md")))
                .contains("and %d ways to get a rule wrong".formatted(all - flease));
    }

    /** What the exploration counts is measured, and recorded on the page. */
    @Test
    void theReadmeHasThePagesNumberOfStates() throws IOException {
        Matcher onThePage = Pattern.compile("`ExplorationTest` \\| ([0-9.]+ million states): ")
                .matcher(Files.readString(ROOT.resolve("docs/simulation.md")));
        assertThat(onThePage.find()).isTrue();
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("cells, " + onThePage.group(1) + ";");
    }

    @Test
    void aCountOfStatesThatThePageDoesNotHaveIsReported() {
        DocumentedCounts.assertKnown(462_306);
        assertThatThrownBy(() -> DocumentedCounts.assertKnown(462_307)).hasMessageContaining("462,307 states");
        assertThatThrownBy(() -> DocumentedCounts.assertKnown(306)).isInstanceOf(AssertionError.class);
    }

    @Test
    void theReadmeIsShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(120);
    }

    @Test
    void thePageCountsAllOfThemAndTheRaces() throws IOException {
        assertThat(Files.readString(ROOT.resolve("docs/simulation.md")))
                .contains("| %d mutants, %d of Flease |".formatted(all, flease))
                .contains(", %d mutants |".formatted(StorageMutants.all().size()))
                .contains("| %d races, ".formatted(RaceMutants.all().size()));
    }
}
