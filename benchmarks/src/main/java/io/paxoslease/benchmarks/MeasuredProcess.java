package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLeaseOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process that is measured, most often one member of a cell, and what it costs. On Linux. */
final class MeasuredProcess implements AutoCloseable {

    private static final long NANOS_OF_A_TICK = 10_000_000;
    private static final int USER_TICKS = 11;

    /** Of every node that takes part. */
    static final Duration LONGEST_LEASE = Duration.ofSeconds(10);

    private final Process process;
    private final BufferedReader output;

    private MeasuredProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Of a process, at one moment. */
    record Footprint(long rssMegabytes, long threads, long descriptors) {

        Footprint max(Footprint other) {
            return new Footprint(
                    Math.max(rssMegabytes, other.rssMegabytes),
                    Math.max(threads, other.threads),
                    Math.max(descriptors, other.descriptors));
        }

        void print(String when) {
            System.out.printf(
                    "%-22s RSS %4d MB   %3d threads   %4d descriptors%n", when, rssMegabytes, threads, descriptors);
        }
    }

    /** @param keys null: without TLS */
    static MeasuredProcess launch(String heap, String id, Map<String, String> members, @Nullable Path keys)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(id, keys == null ? "" : keys.toString()));
        members.forEach((name, address) -> arguments.add(name + "=" + address));
        return launch(List.of(), MeasuredNode.class, heap, arguments);
    }

    /** A main class of this benchmark, started by a command such as {@code nice}, or by none. */
    static MeasuredProcess launch(List<String> by, Class<?> main, String heap, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(by);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return new MeasuredProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** What such a process does in the end: it answers each line of its standard input with a number, and ends with it. */
    static void answer(LongSupplier number) throws IOException {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (input.readLine() != null) {
                System.out.println(number.getAsLong());
            }
        }
        System.exit(0);
    }

    /** An application that answers its standard input as {@link MeasuredNode} does. */
    static MeasuredProcess launch(Path jar, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                jar.toString()));
        command.addAll(arguments);
        return new MeasuredProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Reads on, over what it logs, until a line is the one. */
    String awaitLine(Predicate<String> isTheOne) throws IOException {
        List<String> others = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (isTheOne.test(line)) {
                return line;
            }
            others.add(line);
        }
        throw new IOException("The process has ended: " + String.join("\n", others));
    }

    static PaxosLeaseOptions options(String id, Map<String, String> members, @Nullable Path keys) {
        return PaxosLeaseOptions.builder(id)
                .peers(members)
                .maxLeaseTime(LONGEST_LEASE)
                .maxClients(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS)
                .maxClientsPerSource(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS)
                .tls(keys == null ? null : SelfSigned.tls(keys))
                .build();
    }

    Footprint footprint() throws IOException {
        long pid = process.pid();
        long rss = 0;
        long threads = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            String[] words = line.split("\\s+", -1);
            rss = line.startsWith("VmRSS:") ? Long.parseLong(words[1]) / 1_024 : rss;
            threads = line.startsWith("Threads:") ? Long.parseLong(words[1]) : threads;
        }
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return new Footprint(rss, threads, descriptors.count());
        }
    }

    /** Processor time since its start. */
    long processorNanos() throws IOException {
        return processorNanos(process.pid());
    }

    /** Processor time of a process since its start. */
    static long processorNanos(long pid) throws IOException {
        String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(words[USER_TICKS]) + Long.parseLong(words[USER_TICKS + 1])) * NANOS_OF_A_TICK;
    }

    /**
     * What the process costs.
     *
     * @param heap bytes in use after a collection
     * @param processorMicros in a second
     */
    record Cost(long heap, double processorMicros) {}

    /** The mean of a while, after another while in which code is compiled. */
    Cost cost(int warmUpSeconds, int seconds) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(warmUpSeconds);
        long begin = System.nanoTime();
        long before = processorNanos();
        TimeUnit.SECONDS.sleep(seconds);
        double spent = processorNanos() - before;
        return new Cost(heap(), spent * 1e6 / (System.nanoTime() - begin));
    }

    /** Bytes of heap in use after a collection. */
    long heap() throws IOException {
        return ask();
    }

    /** The number that the process has to tell. */
    long ask() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return Long.parseLong(awaitLine(line -> line.matches("\\d+")));
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
