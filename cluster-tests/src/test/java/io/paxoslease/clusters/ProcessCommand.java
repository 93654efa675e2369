package io.paxoslease.clusters;

import io.paxoslease.clusters.witness.ProcessApplication;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a process of a {@link ProcessCell} is started: the jars of the sample and of the witness, and an archive of the classes that a
 * start loads, so that a start takes less of the machine. The archive is made once in each run, by a process that starts and ends.
 */
final class ProcessCommand {

    private static final Path ARCHIVE = Path.of("target", "process.jsa").toAbsolutePath();

    private static final String FIRST = "first";

    /** Until the class of the application. */
    private static final List<String> JAVA = makeArchive();

    private ProcessCommand() {}

    /** @param options the application's properties, as {@code --name=value} */
    static List<String> with(List<String> options) {
        return join(JAVA, options);
    }

    /** The same with more jars, at the end of the class path. */
    static List<String> with(List<String> options, List<Path> jars) {
        List<String> command = new ArrayList<>(with(options));
        int classPath = command.indexOf("-cp") + 1;
        String more = jars.stream().map(each -> File.pathSeparator + each).collect(Collectors.joining());
        command.set(classPath, command.get(classPath) + more);
        return command;
    }

    /** By a member of two, of which the other one is not there. */
    private static List<String> makeArchive() {
        try {
            Files.deleteIfExists(ARCHIVE);
            Path witness = Files.createDirectories(Path.of("target", "first-process"));
            List<String> options = new ArrayList<>(List.of(
                    "--witness.directory=" + witness,
                    "--paxoslease.node-id=" + FIRST,
                    "--paxoslease.lease-time=" + ProcessCell.LEASE.toMillis() + "ms"));
            UnaryOperator<String> address = member -> "127.0.0.1:" + ProcessCell.freePort();
            options.addAll(
                    Listing.of(List.of(FIRST, "second"), ProcessCell.LEASE).options(address));
            startAndStop(join(java("-XX:ArchiveClassesAtExit=" + ARCHIVE), options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return java("-XX:SharedArchiveFile=" + ARCHIVE);
    }

    private static void startAndStop(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> log = new ArrayList<>();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                log.add(line);
                if (line.contains("Started ProcessApplication")) {
                    process.toHandle().destroy(); // unlike the process, it leaves standard input open
                }
            }
        }
        if (!Files.exists(ARCHIVE)) {
            throw new IllegalStateException("The first process has made no archive:\n" + String.join("\n", log));
        }
    }

    /** An archive is of use to a virtual machine with the same options and class path only. */
    private static List<String> java(String archive) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                archive,
                "-cp",
                Application.directory().resolve("application.jar") + File.pathSeparator + Application.witness(),
                ProcessApplication.class.getName());
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
