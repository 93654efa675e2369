package io.paxoslease.rivals.backends;

import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.Worker;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A process with one contender's clients in it, which does what it is told; see {@link Worker} for what is said. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(120);
    private static final String GONE = "gone";

    /**
     * What to start.
     *
     * @param contender its name
     * @param clients the indexes of the clients to open
     * @param tuning which times to use
     * @param heldLong whether locks will be held longer than a lease lasts
     * @param addresses the servers or members
     * @param heapMegabytes the largest heap
     */
    public record Spec(
            String contender,
            List<Integer> clients,
            Tuning tuning,
            boolean heldLong,
            List<String> addresses,
            int heapMegabytes) {}

    private final Child child;
    private final Path log;
    private final BufferedWriter commands;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private WorkerProcess(Child child, Path log) {
        this.child = child;
        this.log = log;
        this.commands = child.process().outputWriter();
        Thread reader = new Thread(this::read, "reader-" + child.process().pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts the process; its errors go to the log. */
    public static WorkerProcess start(Path log, Spec spec) throws IOException {
        List<String> arguments = List.of(
                spec.contender(),
                spec.clients().stream().map(String::valueOf).collect(Collectors.joining(",")),
                spec.tuning().name(),
                Boolean.toString(spec.heldLong()),
                String.join(",", spec.addresses()));
        return new WorkerProcess(
                Child.talking(log, Child.java(spec.heapMegabytes(), Worker.class.getName(), arguments)), log);
    }

    private void read() {
        try (BufferedReader reader = child.process().inputReader()) {
            reader.lines().forEach(said::add);
        } catch (IOException | UncheckedIOException e) {
            // The process was killed.
        }
        said.add(GONE);
    }

    /** Its process id. */
    public long pid() {
        return child.process().pid();
    }

    /** Waits until the clients are ready. */
    public void awaitReady() throws IOException, InterruptedException {
        await(Worker.READY, START);
    }

    /** Has something done, and waits for the figures. */
    public Map<String, Double> ask(String command, Duration patience) throws IOException, InterruptedException {
        tell(command);
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String figure : await(Worker.RESULT, patience).split(" ", -1)) {
            String[] parts = figure.split("=", 2);
            if (parts.length == 2) {
                figures.put(parts[0], Double.valueOf(parts[1]));
            }
        }
        return figures;
    }

    /** Says something, and waits for nothing. */
    public void tell(String command) throws IOException {
        commands.write(command);
        commands.newLine();
        commands.flush();
    }

    /** Waits for a line that begins with that word; answers the rest of it. Other lines are dropped. */
    public String await(String word, Duration patience) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            String line = said.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new IOException("No '%s' within %s, see %s".formatted(word, patience, log));
            }
            if (line.startsWith(Worker.ERROR) || line.equals(GONE)) {
                throw new IOException("%s, see %s".formatted(line, log));
            }
            if (line.equals(word) || line.startsWith(word + " ")) {
                return line.substring(word.length()).strip();
            }
        }
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        child.kill();
    }

    @Override
    public void close() {
        try {
            child.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
