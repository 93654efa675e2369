package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** The jar of this process, extracted by Spring Boot's own tool: instances start faster from it than from the jar with jars in it. */
final class ExtractedApplication {

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final String JAR = "application.jar";

    private final String original;
    private final Path directory;
    /** Null: the class path is no jar. */
    private final @Nullable Process extraction;

    private ExtractedApplication(String original, Path directory, @Nullable Process extraction) {
        this.original = original;
        this.directory = directory;
        this.extraction = extraction;
    }

    /**
     * Begins, and does not wait.
     *
     * @param classPath of this process: of one that is no executable jar, or cannot be extracted, instances are started as it is
     * @param directory where the files go
     */
    static ExtractedApplication begin(String classPath, Path directory) throws IOException {
        if (!classPath.endsWith(".jar") || !Files.isRegularFile(Path.of(classPath))) {
            return new ExtractedApplication(classPath, directory, null);
        }
        List<String> command = new ArrayList<>(List.of(JAVA.toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-Djarmode=tools", "-jar", classPath, "extract"));
        command.addAll(List.of("--destination", directory.toString(), "--application-filename", JAR));
        Process extraction = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new ExtractedApplication(classPath, directory, extraction);
    }

    /** Whether the build has made it, with all that it processes ahead of time; an IDE compiles classes and leaves that as it was. */
    boolean isPackaged() {
        return extraction != null;
    }

    /** The command that starts it. Waits for the extraction. */
    List<String> command(List<String> javaOptions) {
        List<String> command = new ArrayList<>(List.of(JAVA.toString()));
        command.addAll(javaOptions);
        if (extraction == null) {
            command.addAll(List.of("-cp", original, ClusterLauncher.class.getName()));
        } else {
            Path jar = directory.resolve(JAR);
            boolean isExtracted = extraction.onExit().join().exitValue() == 0 && Files.exists(jar);
            command.addAll(List.of("-jar", isExtracted ? jar.toString() : original));
        }
        return command;
    }

    /** When no instance runs any more. */
    void delete() {
        if (extraction != null) {
            extraction.destroyForcibly().onExit().join();
        }
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException inUse) {
            // What is left is where the system looks for temporary files to remove.
        }
    }
}
