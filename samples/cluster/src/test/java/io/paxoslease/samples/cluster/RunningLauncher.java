package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The launcher, run from the jar as a user runs it. Its lines are kept. */
final class RunningLauncher {

    private static final long PATIENCE_SECONDS = 90;
    private static final Pattern STARTING = Pattern.compile("starting, process (\\d+)");

    private final List<String> command;
    private final List<String> lines = new ArrayList<>();
    private @Nullable Process process;
    private boolean ended;

    RunningLauncher(String... options) {
        Path jar =
                Path.of(System.getProperty("cluster.jar", "target/cluster.jar")).toAbsolutePath();
        command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + jar.getParent(),
                "-jar",
                jar.toString()));
        command.addAll(List.of(options));
    }

    RunningLauncher withSystemProperty(String name, String value) {
        command.add(1, "-D" + name + "=" + value);
        return this;
    }

    void start(String... moreOptions) throws IOException {
        command.addAll(List.of(moreOptions));
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        process = started;
        Thread reader = new Thread(() -> read(started), "output-of-launcher");
        reader.setDaemon(true);
        reader.start();
    }

    private Process process() {
        return Objects.requireNonNull(process, "start it first");
    }

    /** The first of eight neighbouring ports that were free just now, less than 5,000 above the given one. */
    static int freePorts(int from) {
        while (true) {
            int base = ThreadLocalRandom.current().nextInt(from, from + 4_992);
            if (IntStream.range(base, base + 8).allMatch(RunningLauncher::isFree)) {
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

    private void read(Process started) {
        try (var output = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** Where the next line goes. */
    synchronized int mark() {
        return lines.size();
    }

    /** Sends a command and answers the mark before it. */
    int type(String command) throws IOException {
        int before = mark();
        process().getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
        process().getOutputStream().flush();
        return before;
    }

    /** The end of standard input. */
    void hangUp() throws IOException {
        process().getOutputStream().close();
    }

    /** Waits for the first line from the mark on that has a match. */
    synchronized Matcher await(int mark, String regex) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (int i = mark; ; i++) {
            while (i >= lines.size()) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (ended || left <= 0) {
                    throw new AssertionError("No line matches '" + regex + "' after these:\n" + this);
                }
                wait(left);
            }
            Matcher matcher = pattern.matcher(lines.get(i));
            if (matcher.find()) {
                return matcher;
            }
        }
    }

    /** Every process that it has ever started. */
    List<ProcessHandle> children() {
        return lines().stream()
                .map(STARTING::matcher)
                .filter(Matcher::find)
                .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(1))).stream())
                .toList();
    }

    /** SIGKILL. */
    void kill() {
        process().toHandle().destroyForcibly();
    }

    /** SIGTERM, as a terminal's Ctrl-C in effect. */
    void terminate() {
        process().toHandle().destroy();
    }

    /** Waits for its end and answers the exit code. */
    int awaitExit() throws InterruptedException {
        if (!process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("The launcher did not end:\n" + this);
        }
        return process().exitValue();
    }

    static Duration patience() {
        return Duration.ofSeconds(PATIENCE_SECONDS);
    }

    /** Ends whatever is left of it: by a signal that lets it delete its files, if it obeys. */
    void endEverything() {
        if (process != null) {
            terminate();
            process.onExit()
                    .completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .join();
            kill();
        }
        children().forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public String toString() {
        return String.join("\n", lines());
    }
}
