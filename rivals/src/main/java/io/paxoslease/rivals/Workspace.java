package io.paxoslease.rivals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory for the servers' files, in memory where the machine has such a place; deleted in the end. */
final class Workspace implements AutoCloseable {

    private static final Path IN_MEMORY = Path.of("/dev/shm");

    private final Path root;
    private int count;

    Workspace() throws IOException {
        Path parent = Files.isWritable(IN_MEMORY) ? IN_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        root = Files.createTempDirectory(parent, "rivals");
        // PostgreSQL may run as another user.
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    synchronized Path directory(String name) throws IOException {
        return Files.createDirectory(root.resolve(name + "-" + count++));
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.exists(root) ? Files.walk(root) : Stream.of()) {
            files.sorted(Comparator.reverseOrder()).forEach(Workspace::delete);
        } catch (IOException | UncheckedIOException e) {
            // Something still writes there: the system's temporary files are deleted some day.
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
