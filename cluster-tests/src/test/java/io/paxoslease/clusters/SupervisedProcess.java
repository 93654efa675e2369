package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process under a supervisor, as Kubernetes is one: when it ends by itself it is started again, after a time that doubles with
 * each failure up to {@value #LONGEST_BACK_OFF_MILLIS} ms. Thread-safe.
 */
final class SupervisedProcess {

    private static final long FIRST_BACK_OFF_MILLIS = 250;
    private static final long LONGEST_BACK_OFF_MILLIS = 2_000;
    private static final long END_SECONDS = 20;

    private final Path log;
    /** Null while it is not to run. */
    private @Nullable List<String> command;

    private @Nullable Process process;
    private int failures;

    /** How a process is ended. */
    enum End {
        /** SIGTERM: the application closes in good order. */
        STOP,
        /** SIGKILL. */
        KILL
    }

    SupervisedProcess(Path log) {
        this.log = log;
    }

    synchronized void start(List<String> newCommand) {
        if (command != null) {
            throw new IllegalStateException("It runs: end it first");
        }
        List<String> current = new ArrayList<>(newCommand); // tells this start from an earlier one by the same command
        command = current;
        failures = 0;
        launch(current);
    }

    private void launch(List<String> current) {
        try {
            Process started = new ProcessBuilder(current)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            process = started;
            started.onExit().thenRun(() -> ended(current));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void ended(List<String> ended) {
        if (command != ended) {
            return; // it was to end
        }
        long millis = Math.min(FIRST_BACK_OFF_MILLIS << Math.min(failures, 10), LONGEST_BACK_OFF_MILLIS);
        failures++;
        Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
        later.execute(() -> relaunch(ended));
    }

    private synchronized void relaunch(List<String> ended) {
        if (command == ended) {
            launch(ended);
        }
    }

    /** Whether it has ended by itself since it was started. */
    synchronized boolean hasFailed() {
        return failures > 0;
    }

    synchronized boolean isToRun() {
        return command != null;
    }

    /** Sends a signal to it, such as {@code STOP}, while it runs. */
    synchronized void signal(String name) {
        if (process != null && process.isAlive()) {
            Signals.send(name, List.of(process.toHandle()));
        }
    }

    /** SIGKILL, without a wait. */
    synchronized void kill() {
        command = null;
        if (process != null) {
            process.toHandle().destroyForcibly();
        }
    }

    /** SIGTERM, without a wait. */
    synchronized void terminate() {
        command = null;
        if (process != null) {
            process.toHandle().destroy();
        }
    }

    /** Ends it and waits until it has ended. Does nothing to what was never started. */
    void end(End how) {
        Process ending;
        synchronized (this) {
            command = null;
            ending = process;
        }
        if (ending == null) {
            return;
        }
        ProcessHandle handle = ending.toHandle(); // unlike the process, it leaves standard input open
        boolean sent = how == End.STOP ? handle.destroy() : handle.destroyForcibly();
        awaitEnd(ending, sent);
    }

    private void awaitEnd(Process ending, boolean sent) {
        try {
            if (sent && !ending.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("It has not ended within %d s: see %s".formatted(END_SECONDS, log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a process ends", e);
        } finally {
            ending.toHandle().destroyForcibly();
        }
    }

    @Override
    public String toString() {
        return Objects.toString(log.getFileName());
    }
}
