package io.paxoslease.rivals.report;

import io.paxoslease.benchmarks.Machine;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.contenders.Contenders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Where, when and how a workload ran. */
public final class Environment {

    private final String command;
    private final Instant begin = Instant.now();
    private final String loadBefore = Machine.load();

    private Environment(String command) {
        this.command = command;
    }

    /** Just before the workload begins. */
    public static Environment begin(String command) {
        return new Environment(command);
    }

    static Path file(Path results, Workload workload) {
        return results.resolve(workload.word() + ".txt");
    }

    static Path contenders(Path results) {
        return results.resolve("contenders.csv");
    }

    /** Writes it beside the figures, with the contenders' settings. */
    public void write(Path results, Workload workload) throws IOException {
        ByteArrayOutputStream machine = new ByteArrayOutputStream();
        Machine.describe(new PrintStream(machine, true, StandardCharsets.UTF_8));
        List<String> lines = new ArrayList<>();
        machine.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("at:"))
                .forEach(lines::add);
        lines.add("command: java -jar rivals/target/rivals.jar " + command);
        lines.add("at: %s, %d s; load average before %s, after %s"
                .formatted(
                        begin.truncatedTo(ChronoUnit.SECONDS),
                        Duration.between(begin, Instant.now()).toSeconds(),
                        loadBefore,
                        Machine.load()));
        Files.createDirectories(results);
        Files.write(file(results, workload), lines);
        List<String> settings = new ArrayList<>(List.of(Csv.line("contender", "title", "settings")));
        for (Contender contender : Contenders.all()) {
            settings.add(Csv.line(contender.name(), contender.title(), contender.settings()));
        }
        Files.write(contenders(results), settings);
    }
}
