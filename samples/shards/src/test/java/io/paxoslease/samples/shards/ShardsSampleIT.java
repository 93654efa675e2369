package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the sample as a user does, from its jar. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no SIGSTOP")
class ShardsSampleIT {

    private static final long PATIENCE_SECONDS = 240;
    private static final Pattern END = Pattern.compile("Orders 1 to (\\d+): missing none, twice none\\.");
    private static final Pattern EVENT = Pattern.compile("(n\\d)  is (killed|paused|stopped) .* owns [1-9]\\d* shards");
    private static final Pattern OWNED = Pattern.compile("all shards have an owner after .*: (.*)");

    private final Path directory;

    ShardsSampleIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void whileInstancesAreKilledPausedAndStoppedEachOrderIsShippedOnce() throws Exception {
        String output = run("--kills=2");

        List<MatchResult> events = find(EVENT, output);
        assertThat(events).extracting(event -> event.group(2)).containsExactly("killed", "paused", "killed", "stopped");
        List<MatchResult> owned = find(OWNED, output);
        assertThat(owned).hasSameSizeAs(events);
        assertThat(owned.get(1).group(1))
                .as("the others own the shards of a paused instance")
                .contains(events.get(1).group(1) + " 0");
        List<MatchResult> end = find(END, output);
        assertThat(end).as(output).hasSize(1);
        assertThat(Long.parseLong(end.get(0).group(1))).isPositive();
    }

    /** Answers what it printed, after it has ended by itself and well. */
    private String run(String... options) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + directory,
                        "-jar",
                        Path.of(System.getProperty("shards.jar", "target/shards.jar"))
                                .toString(),
                        "--base-port=" + freePorts())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.command().addAll(List.of(options));
        Process launcher = builder.start();
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

    private static List<MatchResult> find(Pattern pattern, String output) {
        return pattern.matcher(output).results().toList();
    }

    /** The first of three neighbouring ports that were free just now. */
    private static int freePorts() {
        while (true) {
            int base = ThreadLocalRandom.current().nextInt(15_000, 19_997);
            if (IntStream.range(base, base + 3).allMatch(ShardsSampleIT::isFree)) {
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
