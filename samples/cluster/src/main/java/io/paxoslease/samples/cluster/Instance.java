package io.paxoslease.samples.cluster;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The process of one node. Reports on its standard output go to the narrator, everything else to a log file. */
final class Instance {

    private final Node node;
    private final Supplier<List<String>> command;
    private final Path log;
    private final Narrator narrator;
    private @Nullable Process process;
    private State state = State.DOWN;

    /** What its process does. */
    enum State {
        DOWN,
        STARTING,
        UP,
        PAUSED,
        STOPPING
    }

    /** @param command its command line at a start */
    Instance(Node node, Supplier<List<String>> command, Path log, Narrator narrator) {
        this.node = node;
        this.command = command;
        this.log = log;
        this.narrator = narrator;
    }

    Node node() {
        return node;
    }

    /** Down only after its end was told. */
    synchronized State state() {
        return state;
    }

    /** Starts the process, which must be down. */
    void start() throws IOException {
        start(command.get()); // not under this lock: it takes the cluster's, under which states are asked for
    }

    private synchronized void start(List<String> commandLine) throws IOException {
        if (state != State.DOWN) {
            throw new IllegalStateException(node.name() + " is not down");
        }
        Process started =
                new ProcessBuilder(commandLine).redirectErrorStream(true).start();
        process = started;
        state = State.STARTING;
        narrator.started(node.name(), started.pid());
        Thread reader = new Thread(() -> attend(started), "output-of-" + node.name());
        reader.setDaemon(true);
        reader.start();
    }

    /** SIGSTOP: it stands still, and its connections stay open. */
    synchronized void pause() throws IOException {
        String problem = StopSignal.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        require(state == State.UP, "only an instance that is up can be paused");
        StopSignal.pause(running().pid());
        state = State.PAUSED;
        narrator.paused(node.name());
    }

    /** SIGCONT. */
    synchronized void resume() throws IOException {
        require(state == State.PAUSED, "it is not paused");
        StopSignal.resume(running().pid());
        state = State.UP;
        narrator.resumed(node.name());
    }

    /** SIGTERM: the application closes in good order. Through the handle, which leaves the pipes open. */
    synchronized void stop() {
        require(state != State.DOWN, "it is down already");
        require(state != State.STOPPING, "it is stopping already");
        require(state != State.PAUSED, "it is paused and cannot stop: resume it first, or kill it");
        narrator.signalling(node.name(), Action.STOP, "is told to stop (SIGTERM)");
        state = State.STOPPING;
        running().toHandle().destroy();
    }

    /** SIGKILL: the process ends without notifying the others. */
    synchronized void kill() {
        require(state != State.DOWN, "it is down already");
        narrator.signalling(node.name(), Action.KILL, "is killed (SIGKILL)");
        state = State.STOPPING;
        running().toHandle().destroyForcibly();
    }

    /** SIGTERM to a running process, without a line on the console. */
    synchronized void terminate() {
        if (process != null) {
            process.toHandle().destroy();
            wake(process.pid());
        }
    }

    /** A process that stands still does not even end. */
    private void wake(long pid) {
        try {
            if (state == State.PAUSED) {
                StopSignal.resume(pid);
            }
        } catch (IOException e) {
            destroy();
        }
    }

    /** SIGKILL to a running process, without a line on the console. */
    synchronized void destroy() {
        if (process != null) {
            process.toHandle().destroyForcibly();
        }
    }

    private Process running() {
        return Objects.requireNonNull(process, "not started");
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException("%s: %s".formatted(node.name(), otherwise));
        }
    }

    /** Waits at most that long, and answers whether the process has ended. */
    boolean awaitEnd(long millis) throws InterruptedException {
        Process ending;
        synchronized (this) {
            ending = process;
        }
        return ending == null || ending.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    private void attend(Process started) {
        try {
            read(started);
        } catch (IOException e) {
            narrator.say(node.name(), "its output can no longer be read or logged: " + e.getMessage());
        }
        int exitCode = started.onExit().join().exitValue();
        synchronized (this) {
            narrator.ended(node.name(), exitCode);
            state = State.DOWN;
        }
    }

    private void reported(Report report) {
        synchronized (this) {
            if (report.kind() == Report.Kind.READY && state == State.STARTING) {
                state = State.UP;
            }
        }
        narrator.reported(node.name(), report);
    }

    private void read(Process source) throws IOException {
        try (BufferedReader lines = source.inputReader(StandardCharsets.UTF_8);
                BufferedWriter file =
                        Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Report report = Report.parse(line).orElse(null);
                if (report != null) {
                    reported(report);
                } else {
                    file.write(line);
                    file.newLine();
                    file.flush();
                }
            }
        }
    }
}
