package io.paxoslease.samples.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCounterTest {

    private static final Duration GAP = Duration.ofMillis(1);

    private Path file;
    private SharedCounter n1;
    private SharedCounter n2;

    @BeforeEach
    void twoInstancesShareAFile(@TempDir Path directory) {
        file = directory.resolve("counter");
        n1 = new SharedCounter(file, "n1", GAP);
        n2 = new SharedCounter(file, "n2", GAP);
    }

    @Test
    void oneAfterTheOtherCountsEverything() throws IOException {
        n1.increment();
        n2.increment();
        SharedCounter.Result result = n1.increment();

        assertThat(result.counts()).isEqualTo(Map.of("total", 3L, "n1", 2L, "n2", 1L));
        assertThat(result.lostUpdate()).isNull();
    }

    @Test
    void anOverwrittenCountIsNoticed() throws IOException {
        n1.increment();
        String before = Files.readString(file);
        n1.increment();
        Files.writeString(file, before);

        assertThat(n1.increment().lostUpdate()).isEqualTo("n1 wrote 2 and found 1");
        assertThat(n1.increment().lostUpdate()).isNull();
    }

    @Test
    void aTotalThatIsNotTheSumIsNoticed() throws IOException {
        Files.writeString(file, "n1=1\nn2=1\ntotal=3\n");

        assertThat(n1.increment().lostUpdate()).isEqualTo("the total is 3, the sum 2");
    }

    @Test
    void aRestartedInstanceGoesOnFromWhatItFinds() throws IOException {
        n1.increment();

        SharedCounter.Result result = new SharedCounter(file, "n1", GAP).increment();

        assertThat(result.counts()).containsEntry("n1", 2L);
        assertThat(result.lostUpdate()).isNull();
    }
}
