package io.paxoslease.clusters;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts a main class on the jars of the sample and of the witness, with an archive of the classes that a start loads: a start then needs
 * less of the machine. The archive is made once in each run, by a process that starts and ends.
 */
final class JavaCommand {

    private final Path archive;
    private final List<String> options;
    private final String mainClass;

    /** @param heap of the virtual machine, such as {@code 64m} */
    private JavaCommand(Path archive, String heap, String mainClass) {
        this.archive = archive;
        this.options = List.of("-Xmx" + heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        this.mainClass = mainClass;
    }

    /**
     * Makes the archive.
     *
     * @param ready what the first process prints when it has started
     * @param arguments of the first process
     */
    static JavaCommand archived(String name, String heap, String mainClass, String ready, List<String> arguments) {
        JavaCommand command = new JavaCommand(Path.of("target", name + ".jsa").toAbsolutePath(), heap, mainClass);
        try {
            command.makeArchive(ready, arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return command;
    }

    private void makeArchive(String ready, List<String> arguments) throws IOException {
        Files.deleteIfExists(archive);
        Process process = new ProcessBuilder(with("-XX:ArchiveClassesAtExit=", arguments, List.of()))
                .redirectErrorStream(true)
                .start();
        List<String> log = new ArrayList<>();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                log.add(line);
                if (line.contains(ready)) {
                    process.toHandle().destroy(); // unlike the process, it leaves standard input open
                }
            }
        }
        if (!Files.exists(archive)) {
            throw new IllegalStateException("The first process has made no archive:\n" + String.join("\n", log));
        }
    }

    /** @param arguments of the application, as {@code --name=value} */
    List<String> with(List<String> arguments) {
        return with(arguments, List.of());
    }

    /** @param jars at the end of the class path: the archive is of use to a class path that begins with its own */
    List<String> with(List<String> arguments, List<Path> jars) {
        return with("-XX:SharedArchiveFile=", arguments, jars);
    }

    private List<String> with(String archiveOption, List<String> arguments, List<Path> jars) {
        Stream<Path> first = Stream.of(Application.directory().resolve("application.jar"), Application.witness());
        String classPath =
                Stream.concat(first, jars.stream()).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(archiveOption + archive, "-cp", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }
}
