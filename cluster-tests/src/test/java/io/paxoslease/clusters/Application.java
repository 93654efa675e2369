package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** What runs in the containers: the sample's own jar, taken apart so that it starts faster, and the witness beside it. */
final class Application {

    static final String MAIN_CLASS = "io.paxoslease.samples.cluster.ClusterLauncher";

    private static final Path EXTRACTED = extract();

    private Application() {}

    /** Has {@code application.jar} and {@code lib}. */
    static Path directory() {
        return EXTRACTED;
    }

    static Path witness() {
        return file("cluster.witness");
    }

    private static Path extract() {
        Path directory = Path.of("target", "application").toAbsolutePath();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path jar = file("cluster.application");
        ProcessBuilder builder = new ProcessBuilder(
                java.toString(),
                "-Djarmode=tools",
                "-jar",
                jar.toString(),
                "extract",
                "--force",
                "--destination",
                directory.toString(),
                "--application-filename",
                "application.jar");
        try {
            Process process = builder.redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("Cannot take " + jar + " apart: " + output);
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while taking " + jar + " apart", e);
        }
    }

    private static Path file(String property) {
        Path file = Path.of(Objects.requireNonNull(System.getProperty(property), property))
                .toAbsolutePath()
                .normalize();
        if (!Files.exists(file)) {
            throw new IllegalStateException(file + " is not there: run mvn verify from the root of the repository");
        }
        return file;
    }
}
