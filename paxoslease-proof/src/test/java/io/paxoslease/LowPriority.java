package io.paxoslease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * These tests compute for minutes, while Maven runs those of other modules, which measure time: on Linux all threads of this process
 * get the lowest priority, and threads that they start inherit it. Where that cannot be done they run as they are. Only in processes
 * that have the property {@code low.priority}: Surefire opens a session in Maven's own process too, to find the tests.
 */
public final class LowPriority implements LauncherSessionListener {

    private static final Path THREADS = Path.of("/proc/self/task");

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (!Boolean.getBoolean("low.priority") || !Files.isDirectory(THREADS)) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("renice", "-n", "19", "-p"));
        try (Stream<Path> threads = Files.list(THREADS)) {
            threads.map(thread -> thread.getFileName().toString()).forEach(command::add);
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException noSuchCommand) {
            System.out.println("The tests of this module run at normal priority: " + noSuchCommand);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
