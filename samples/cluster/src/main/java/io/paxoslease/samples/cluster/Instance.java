package io.paxoslease.samples.cluster;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The process of one member. Reports on its standard output go to the narrator, everything else to a log file. */
final class Instance {

    private final Member member;
    private final List<String> command;
    private final Path log;
    private final Narrator narrator;
    private @Nullable Process process;
    /** Whether a process was started whose end was not told yet. */
    private boolean up;

    Instance(Member member, List<String> command, Path log, Narrator narrator) {
        this.member = member;
        this.command = command;
        this.log = log;
        this.narrator = narrator;
    }

    Member member() {
        return member;
    }

    synchronized boolean isUp() {
        return up;
    }

    /** Starts the process, which must not be up. */
    synchronized void start() throws IOException {
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        process = started;
        up = true;
        narrator.started(member.name(), started.pid());
        Thread reader = new Thread(() -> attend(started), "output-of-" + member.name());
        reader.setDaemon(true);
        reader.start();
    }

    /** SIGTERM: the application closes in good order. Through the handle, which leaves the pipes open. */
    synchronized void terminate() {
        if (process != null) {
            process.toHandle().destroy();
        }
    }

    /** SIGKILL: the process is gone, and nobody is told. */
    synchronized void kill() {
        if (process != null) {
            process.toHandle().destroyForcibly();
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
            narrator.say(member.name(), "its output cannot be read or logged any more: " + e.getMessage());
        }
        int exitCode = started.onExit().join().exitValue();
        synchronized (this) {
            narrator.ended(member.name(), exitCode);
            up = false;
        }
    }

    private void read(Process source) throws IOException {
        try (BufferedReader lines = source.inputReader(StandardCharsets.UTF_8);
                BufferedWriter file =
                        Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Report report = Report.parse(line).orElse(null);
                if (report != null) {
                    narrator.reported(member.name(), report);
                } else {
                    file.write(line);
                    file.newLine();
                    file.flush();
                }
            }
        }
    }
}
