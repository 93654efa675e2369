package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Sends signals to processes of this machine, all in one go. */
final class Signals {

    private Signals() {}

    /** @param name such as {@code STOP}; a process that has ended in the meantime does not matter */
    static void send(String name, Collection<ProcessHandle> processes) {
        if (processes.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(each -> command.add(Long.toString(each.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a signal is sent", e);
        }
    }
}
