package io.paxoslease.testing;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node in a Java process of its own. The process begins at once, and starts its node when it is told to, as an application that boots slowly. */
public final class NodeProcess implements AutoCloseable {

    private static final String BOOTED = "BOOTED";
    private static final String STARTED = "STARTED";

    private final Process process;
    private final BufferedReader output;
    private final long begunAt = System.nanoTime();

    private NodeProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Comes back when the process runs. Its node has not started. */
    public static NodeProcess boot(PaxosLeaseOptions options, Map<String, String> addresses) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                Main.class.getName(),
                options.cell(),
                options.nodeId(),
                options.maxLeaseTime().toString()));
        addresses.forEach((id, address) -> command.add(id + "=" + address));
        NodeProcess booted = new NodeProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        booted.await(BOOTED);
        return booted;
    }

    /** Some launchers load the tests through a loader of their own. */
    private static String classPath() {
        return NodeProcess.class.getClassLoader() instanceof URLClassLoader loader
                ? Stream.of(loader.getURLs()).map(URL::getPath).collect(Collectors.joining(File.pathSeparator))
                : System.getProperty("java.class.path");
    }

    /** For how long the process has run, at least. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - begunAt);
    }

    /** Comes back when its node listens. */
    public void start() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        await(STARTED);
    }

    private void await(String line) throws IOException {
        StringBuilder read = new StringBuilder();
        for (String next = output.readLine(); !line.equals(next); next = output.readLine()) {
            if (next == null) {
                throw new IOException("The process ended: " + read);
            }
            read.append(next).append('\n');
        }
    }

    /** As with {@code kill -9}. Comes back when it is gone. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The process did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
        try {
            output.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What that process runs. It ends with its input. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) throws IOException {
            PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(args[1])
                    .cell(args[0])
                    .leaseTime(Duration.parse(args[2]))
                    .maxLeaseTime(Duration.parse(args[2]));
            for (int i = 3; i < args.length; i++) {
                int end = args[i].indexOf('=');
                options.peer(args[i].substring(0, end), args[i].substring(end + 1));
            }
            System.out.println(BOOTED);
            if (System.in.read() < 0) {
                return;
            }
            PaxosLease.create(options.build()).start();
            System.out.println(STARTED);
            while (System.in.read() >= 0) {
                // Runs until it is killed, or its input ends with the process that has made it.
            }
            System.exit(0);
        }
    }
}
