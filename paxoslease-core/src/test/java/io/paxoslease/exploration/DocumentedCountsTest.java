package io.paxoslease.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The pages say how many rules are broken on purpose, and there are as many. */
class DocumentedCountsTest {

    private static final Path ROOT = Path.of("..");

    private final int all = Mutants.all().size() + ShellMutants.all().size(); // the latter with those of Flease
    private final int flease = FleaseMutants.all().size();

    @Test
    void theReadmeCountsTheMutantsOfTheDefaultAlgorithm() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md")))
                .contains("and %d ways to get a rule wrong".formatted(all - flease));
    }

    @Test
    void thePageCountsAllOfThemAndTheRaces() throws IOException {
        assertThat(Files.readString(ROOT.resolve("docs/simulation.md")))
                .contains("| %d mutants, %d of Flease |".formatted(all, flease))
                .contains(", %d mutants |".formatted(StorageMutants.all().size()))
                .contains("| %d races, ".formatted(RaceMutants.all().size()));
    }
}
