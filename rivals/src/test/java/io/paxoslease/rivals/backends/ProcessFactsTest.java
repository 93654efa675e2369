package io.paxoslease.rivals.backends;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessFactsTest {

    /** A compilation of half a second in a window of twenty would pass for 25 ms/s of an idle product. */
    @Test
    void timeOfCompilerThreadsIsNoneOfTheProduct(@TempDir Path process) throws IOException {
        write(process, "java", 900, 100);
        write(process.resolve("task/1"), "java", 20, 5);
        write(process.resolve("task/2"), "C2 CompilerThre", 500, 50);
        write(process.resolve("task/3"), "C1 CompilerThre", 100, 10);
        write(process.resolve("task/4"), "hz.odd) (name", 30, 5);

        assertThat(ProcessFacts.ticksWithoutCompilers(process)).isEqualTo(1_000 - 550 - 110);
    }

    @Test
    void aProcessThatHasEndedUsesNothing(@TempDir Path directory) throws IOException {
        assertThat(ProcessFacts.ticksWithoutCompilers(directory.resolve("ended")))
                .isZero();
    }

    /** The way Linux writes it: the times are the 14th and 15th field, and the name may contain anything. */
    private static void write(Path directory, String name, long user, long system) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(
                directory.resolve("stat"),
                "7 (%s) S 1 7 7 0 -1 4194560 1 0 0 0 %d %d 0 0 20".formatted(name, user, system));
    }
}
