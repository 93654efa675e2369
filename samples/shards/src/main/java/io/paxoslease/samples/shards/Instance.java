package io.paxoslease.samples.shards;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** One process of an instance. Its standard output goes to a log file, and what it reports there is handed on. */
final class Instance {

    /** So many vote; further ones are clients. */
    static final int MEMBERS = 3;

    static final int MOST = 9;

    private static final long PATIENCE_SECONDS = 30;

    private final String name;
    private final Process process;
    private volatile boolean isToEnd;

    /** What hears of instances. Called by a thread of each. */
    interface Listener {

        void reported(Instance instance, Report report);

        /** No further report comes. The reason is empty if the instance was asked to end. */
        void ended(Instance instance, String why);
    }

    /** Starts the process. */
    Instance(String name, ShardsOptions options, Database database, Path log, Listener listener) throws IOException {
        this.name = name;
        ProcessBuilder builder = new ProcessBuilder(command(name, options)).redirectErrorStream(true);
        builder.environment().putAll(database.environment());
        process = builder.start();
        Thread reader = new Thread(() -> attend(log, listener), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** The names of so many instances. */
    static List<String> names(int instances) {
        return IntStream.rangeClosed(1, instances).mapToObj(i -> "n" + i).toList();
    }

    private static List<String> command(String name, ShardsOptions options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        String classPath = System.getProperty("java.class.path");
        if (classPath.endsWith(".jar")) {
            command.addAll(List.of("-jar", classPath));
        } else {
            command.addAll(List.of("-cp", classPath, ShardsLauncher.class.getName()));
        }
        command.add(ShardsLauncher.INSTANCE_OPTION + name);
        command.add("--sample.fenced=" + options.fenced());
        List<String> members = names(MEMBERS);
        for (int i = 0; i < MEMBERS; i++) {
            command.add("--paxoslease.peers." + members.get(i) + "=127.0.0.1:" + (options.basePort() + i));
        }
        command.add("--paxoslease.mode=" + (members.contains(name) ? "member" : "client"));
        return command;
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: nothing is handed over. */
    void kill() {
        isToEnd = true;
        process.toHandle().destroyForcibly();
    }

    /** SIGTERM: the application stops in its own time. */
    void stop() {
        isToEnd = true;
        process.toHandle().destroy();
    }

    /** SIGSTOP: every thread of the process stands still, wherever it is. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT: every thread continues where it was. */
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

    /** After {@link #stop()} or {@link #kill()}. One that does not stop is killed. */
    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            kill();
            process.waitFor();
        }
    }

    private void attend(Path log, Listener listener) {
        try (var lines = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter file =
                        Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Report report = Report.parse(line).orElse(null);
                file.write(report == null ? line : Instant.now() + "  " + line);
                file.newLine();
                file.flush();
                if (report != null) {
                    listener.reported(this, report);
                }
            }
            listener.ended(this, isToEnd ? "" : "%s has ended: %s says why.".formatted(name, log));
        } catch (IOException e) {
            listener.ended(
                    this, "The output of %s cannot be read or logged any more: %s".formatted(name, e.getMessage()));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
