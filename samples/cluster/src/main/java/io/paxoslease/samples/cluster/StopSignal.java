package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** SIGSTOP and SIGCONT, by means of the system's {@code kill}: Java has no call for them. */
final class StopSignal {

    private static final long PATIENCE_SECONDS = 5;

    private StopSignal() {}

    /** Why processes cannot be paused here; null when they can. */
    static @Nullable String problem() {
        String system = System.getProperty("os.name", "");
        return system.toLowerCase(Locale.ROOT).startsWith("windows")
                ? system + " has no signal that pauses a process"
                : null;
    }

    static void pause(long pid) throws IOException {
        send("-STOP", pid);
    }

    static void resume(long pid) throws IOException {
        send("-CONT", pid);
    }

    private static void send(String signal, long pid) throws IOException {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(pid))
                .redirectErrorStream(true)
                .start();
        try {
            if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IOException("kill %s %d did not work".formatted(signal, pid));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
