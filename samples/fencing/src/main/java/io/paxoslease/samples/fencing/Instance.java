package io.paxoslease.samples.fencing;

import io.paxoslease.samples.fencing.Events.Event;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The process of one instance. Reports on its standard output are handed on, everything else goes to a log file. */
final class Instance {

    static final List<String> NAMES = List.of("n1", "n2", "n3");

    private final String name;
    private final Process process;

    /** Starts the process. Tells the consumer what it reports, and the other one when the process ends. */
    Instance(
            String name,
            FencingOptions options,
            Database database,
            Path log,
            Consumer<Event> events,
            Consumer<String> end)
            throws IOException {
        this.name = name;
        ProcessBuilder builder = new ProcessBuilder(command(name, options)).redirectErrorStream(true);
        builder.environment().putAll(database.environment());
        process = builder.start();
        Thread reader = new Thread(() -> attend(log, events, end), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private static List<String> command(String name, FencingOptions options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        String classPath = System.getProperty("java.class.path");
        if (classPath.endsWith(".jar")) {
            command.addAll(List.of("-jar", classPath));
        } else {
            command.addAll(List.of("-cp", classPath, FencingLauncher.class.getName()));
        }
        command.add(FencingLauncher.INSTANCE_OPTION + name);
        command.add("--sample.fenced=" + options.fenced());
        for (int i = 0; i < NAMES.size(); i++) {
            command.add("--paxoslease.peers." + NAMES.get(i) + "=127.0.0.1:" + (options.basePort() + i));
        }
        return command;
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** Writes a line to its standard input. */
    void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** SIGSTOP: every thread of the process stands still, wherever it is. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT: every thread goes on where it was. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        // The shell's own kill: not every machine has a program of that name.
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("Cannot send SIG%s to process %d of %s".formatted(signal, process.pid(), name));
        }
    }

    /** SIGKILL, which ends a stopped process as well. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    void awaitEnd() throws InterruptedException {
        process.waitFor();
    }

    private void attend(Path log, Consumer<Event> events, Consumer<String> end) {
        try (var lines = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter file = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Report report = Report.parse(line).orElse(null);
                if (report != null) {
                    events.accept(new Event(this, report));
                } else {
                    file.write(line);
                    file.newLine();
                    file.flush();
                }
            }
            end.accept(name + " has ended: " + log + " says why.");
        } catch (IOException e) {
            end.accept("The output of " + name + " can no longer be read or logged: " + e.getMessage());
        }
    }
}
