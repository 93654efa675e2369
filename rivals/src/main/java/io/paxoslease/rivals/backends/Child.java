package io.paxoslease.rivals.backends;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A process that ends with this one, whatever happens. */
public final class Child implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 5;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final Process process;

    private Child(Process process) {
        this.process = process;
        RUNNING.add(process);
    }

    /** Starts a server that writes its output to a file. */
    public static Child server(Path log, List<String> command) throws IOException {
        return new Child(new ProcessBuilder(command)
                .directory(log.resolveSibling("").toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start());
    }

    /** Starts a process that is talked to over its standard input and output; its errors go to a file. */
    public static Child talking(Path log, List<String> command) throws IOException {
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
    }

    /** A Java virtual machine like this one, with the same class path. */
    public static List<String> java(int heapMegabytes, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                tool("java"),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseG1GC",
                // Their processor time is told apart, and that of a thread which has ended could not be.
                "-XX:-UseDynamicNumberOfCompilerThreads",
                // Where a library asks for it; the others do not notice.
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Dzookeeper.admin.enableServer=false",
                "-cp",
                classPath(),
                mainClass));
        command.addAll(arguments);
        return command;
    }

    /** That of this process; servers run in directories of their own. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The full path of a program of this JDK. */
    static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    /** SIGKILL: nothing is tidied up. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
        RUNNING.remove(process);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        RUNNING.remove(process);
    }

    /** The null device. */
    static File nowhere() {
        return new File("/dev/null");
    }
}
