package io.paxoslease.samples.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the sample as a user does, from its jar, with the fence and without it. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no SIGSTOP")
class FencingSampleIT {

    private static final long PATIENCE_SECONDS = 120;
    private static final String ROW = "invoice +(\\d+)  written by (n\\d)  token (\\d+)";

    private final Path directory;

    FencingSampleIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void withTheFenceTheLateWriteIsRejectedAndLeavesNoTrace() throws Exception {
        String output = run("--fenced=true");

        MatchResult held = find(output, "(n\\d)  has checked that it leads, and is about to write invoice (\\d+)");
        MatchResult rejected =
                find(output, "(n\\d)  invoice (\\d+) REJECTED: its token is (\\d+), and (\\d+) was seen");
        String old = rejected.group(1);
        String number = rejected.group(2);
        assertThat(List.of(old, number)).isEqualTo(List.of(held.group(1), held.group(2)));
        assertThat(Long.parseLong(rejected.group(4))).isGreaterThan(Long.parseLong(rejected.group(3)));

        List<MatchResult> rows = rows(output);
        assertThat(rows).extracting(row -> Long.parseLong(row.group(1))).containsExactlyElementsOf(upTo(rows.size()));
        assertThat(rows).extracting(row -> Long.parseLong(row.group(3))).isSorted();
        MatchResult row = rows.get(Integer.parseInt(number) - 1);
        assertThat(row.group(2)).isNotEqualTo(old);
        assertThat(row.group(3)).isEqualTo(rejected.group(4));
        assertThat(output)
                .contains("Late write rejected. Invoices 1 to " + rows.size() + ": missing none, twice none.");
    }

    @Test
    void withoutTheFenceTheLateWriteDoesItsDamage() throws Exception {
        String output = run("--fenced=false");

        MatchResult held = find(output, "(n\\d)  has checked that it leads, and is about to write invoice (\\d+)");
        String number = held.group(2);
        List<MatchResult> both =
                rows(output).stream().filter(row -> row.group(1).equals(number)).toList();
        assertThat(both).hasSize(2);
        assertThat(both.get(0).group(2)).isEqualTo(held.group(1));
        assertThat(both.get(1).group(2)).isNotEqualTo(held.group(1));
        assertThat(output).contains("Late write accepted.").contains("twice " + number + ".");
    }

    /** Answers what it printed, after it has ended by itself and well. */
    private String run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + directory,
                "-jar",
                Path.of(System.getProperty("fencing.jar", "target/fencing.jar")).toString(),
                "--base-port=" + freePorts()));
        command.addAll(List.of(options));
        Path output = directory.resolve("output");
        Process launcher = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = launcher.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(ended).as(text).isTrue();
            assertThat(launcher.exitValue()).as(text).isZero();
            return text;
        } finally {
            launcher.descendants().forEach(ProcessHandle::destroyForcibly);
            launcher.destroyForcibly();
        }
    }

    private static MatchResult find(String output, String regex) {
        Matcher matcher = Pattern.compile(regex).matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return matcher.toMatchResult();
    }

    private static List<MatchResult> rows(String output) {
        return Pattern.compile(ROW).matcher(output).results().toList();
    }

    private static List<Long> upTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** The first of three neighbouring ports that were free just now. */
    private static int freePorts() {
        while (true) {
            int base = ThreadLocalRandom.current().nextInt(15_000, 19_997);
            if (IntStream.range(base, base + 3).allMatch(FencingSampleIT::isFree)) {
                return base;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }
}
