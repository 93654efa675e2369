package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What runs in the containers: the sample's own jar, taken apart so that it starts faster, and the witness beside it. */
final class Application {

    static final String MAIN_CLASS = "io.paxoslease.samples.cluster.ClusterLauncher";

    private static final Path EXTRACTED = extract(file("cluster.application"), "application");
    private static final @Nullable Path PREVIOUS =
            System.getProperty("cluster.previous", "").isEmpty() ? null : extract(file("cluster.previous"), "previous");

    private Application() {}

    /** Has {@code application.jar} and {@code lib}. */
    static Path directory() {
        return EXTRACTED;
    }

    /** The same of the release before; null: none was given. */
    static @Nullable Path previous() {
        return PREVIOUS;
    }

    static Path witness() {
        return file("cluster.witness");
    }

    private static Path extract(Path jar, String name) {
        Path directory = Path.of("target", name).toAbsolutePath();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
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
