package io.paxoslease.rivals.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SamplesTest {

    @Test
    void theMedianIsThatOfTheRounds() {
        Samples samples = new Samples();
        samples.add("ours", "p50-us", 3);
        samples.add("ours", "p50-us", 100);
        samples.add("ours", "p50-us", 2);
        assertThat(samples.median("ours", "p50-us")).isEqualTo(3);
    }

    @Test
    void ratiosAreTakenRoundByRound() {
        Samples samples = new Samples();
        for (double[] round : new double[][] {{10, 5}, {90, 30}, {4, 1}}) {
            samples.add("ours", "p50-us", round[0]);
            samples.add("tcp", "p50-us", round[1]);
        }
        assertThat(samples.medianRatio("ours", "tcp", "p50-us")).isEqualTo(3);
    }

    @Test
    void whatWasNotMeasuredIsNoNumber() {
        Samples samples = new Samples();
        samples.add("ours", "gap-p50-us", Double.NaN);
        assertThat(samples.median("ours", "gap-p50-us")).isNaN();
        assertThat(samples.medianRatio("ours", "tcp", "p50-us")).isNaN();
    }

    @Test
    void whatIsWrittenIsRead(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("new").resolve("idle.csv");
        Samples samples = new Samples();
        samples.add("ours", "client-ms-per-s", 1.5);
        samples.add("ours", "client-ms-per-s", 2.5);
        samples.write(file);
        assertThat(Samples.read(file).all("ours", "client-ms-per-s")).containsExactly(1.5, 2.5);
    }

    @Test
    void aLaterRunReplacesItsContendersAndKeepsTheOthers(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("idle.csv");
        Samples first = new Samples();
        first.add("ours", "a", 1);
        first.add("etcd", "a", 2);
        first.write(file);
        Samples second = new Samples();
        second.add("ours", "a", 3);
        second.write(file);
        Samples read = Samples.read(file);
        assertThat(read.all("ours", "a")).containsExactly(3.0);
        assertThat(read.all("etcd", "a")).containsExactly(2.0);
    }
}
