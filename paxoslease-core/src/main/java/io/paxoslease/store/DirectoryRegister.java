package io.paxoslease.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A directory of a file system that all clients have mounted. Each register is one file, which is replaced as a whole: a
 * temporary file is written, forced to the device, and moved over the old one in one atomic step. Reads and writes only.
 *
 * <p>The file system must show a file that was replaced by one client to every other client at once, or within the access bound.
 * Local and cluster file systems do. NFS does when it is mounted with {@code noac} (or {@code actimeo=0}) and
 * {@code lookupcache=none}; with its default caching a client may see old content for a minute, and two clients may hold one lease.
 *
 * <p>The directory is for registers alone. Files {@code t-...} in it are writes under way.
 */
public final class DirectoryRegister implements Register {

    private static final String REGISTER = "r-";
    private static final String TEMPORARY = "t-";
    /** Far longer than a write takes: what is older was left by a writer that died. */
    private static final Duration LEFTOVER = Duration.ofHours(1);

    private final Path directory;
    private final boolean create;
    /** Whether a directory can be forced to the device: not on Windows, and not on every network file system. */
    private volatile boolean forcesDirectory;

    /** @param directory must exist when it is first used */
    public DirectoryRegister(Path directory) {
        this(directory, false);
    }

    /**
     * @param directory where the files are
     * @param create whether {@link #check} creates the directory, and those above it, when it does not exist. A shared file
     *     system that is not mounted is then not noticed.
     */
    public DirectoryRegister(Path directory, boolean create) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.create = create;
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        Entry entry = entry(file(name));
        return entry == null ? null : entry.contentOf(name, file(name).toString());
    }

    private static @Nullable Entry entry(Path file) throws IOException {
        byte[] bytes;
        try {
            bytes = bytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        return Entry.decode(bytes, file.toString());
    }

    private static byte[] bytes(Path file) throws IOException {
        try {
            return bytesOnce(file);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            return bytesOnce(file); // a file that was replaced while it was open: NFS calls its handle stale
        }
    }

    private static byte[] bytesOnce(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(Entry.MAX_BYTES + 1);
        }
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        byte[] bytes = new Entry(name, content).encode();
        replace(file(name), bytes);
        if (forcesDirectory) {
            SyncedFiles.force(directory);
        }
    }

    private void replace(Path file, byte[] bytes) throws IOException {
        SyncedFiles.replace(file, directory.resolve(TEMPORARY + UUID.randomUUID()), bytes);
    }

    @Override
    public boolean listsNames() {
        return true;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        String begin = REGISTER + RegisterNames.keyPrefix(prefix);
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                directory, file -> String.valueOf(file.getFileName()).startsWith(begin))) {
            for (Path file : files) {
                String name = nameOf(file);
                if (name != null && name.startsWith(prefix)) {
                    names.add(name);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    private static @Nullable String nameOf(Path file) throws IOException {
        String name = RegisterNames.name(String.valueOf(file.getFileName()).substring(REGISTER.length()));
        if (name == null) {
            Entry entry = entry(file);
            return entry == null ? null : entry.name();
        }
        return name;
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    private Path file(String name) {
        return directory.resolve(REGISTER + RegisterNames.key(name));
    }

    /** Sees whether the directory exists, takes files and replaces them atomically, and removes what writers that died have left. */
    @Override
    public void check() throws IOException {
        if (create) {
            Files.createDirectories(directory);
        }
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    Files.exists(directory)
                            ? "%s is no directory: name one that all clients share".formatted(directory)
                            : "The directory %s does not exist: mount the file system that all clients share, and create the directory there"
                                    .formatted(directory));
        }
        Path probe = directory.resolve(TEMPORARY + UUID.randomUUID());
        try {
            probe(probe);
            removeLeftovers(Files.getLastModifiedTime(probe).toMillis());
        } finally {
            SyncedFiles.remove(probe);
        }
        forcesDirectory = canForce();
    }

    private void probe(Path probe) throws IOException {
        byte[] second = {2};
        try {
            replace(probe, new byte[] {1});
            replace(probe, second);
        } catch (AccessDeniedException e) {
            throw new IOException(
                    "Cannot write to the directory %s: let this process's user create, replace and delete files in it (%s)"
                            .formatted(directory, e),
                    e);
        } catch (AtomicMoveNotSupportedException | UnsupportedOperationException e) {
            throw new IOException(
                    "The file system of %s cannot replace a file in one atomic step: choose another one, such as NFS, or a database (%s)"
                            .formatted(directory, e),
                    e);
        } catch (FileSystemException e) {
            throw new IOException("Cannot create and replace files in the directory %s: %s".formatted(directory, e), e);
        }
        byte[] found = bytes(probe);
        if (!Arrays.equals(found, second)) {
            throw new IOException(
                    "The file system of %s does not show what was just written: mount it without caching, or choose another one"
                            .formatted(directory));
        }
    }

    /** @param now by the clock of the file system, which is the one that the files' times are of */
    private void removeLeftovers(long now) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                directory, file -> String.valueOf(file.getFileName()).startsWith(TEMPORARY))) {
            for (Path file : files) {
                try {
                    if (now - Files.getLastModifiedTime(file).toMillis() > LEFTOVER.toMillis()) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException e) {
                    // Its writer lives.
                }
            }
        }
    }

    private boolean canForce() {
        try {
            SyncedFiles.force(directory);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Override
    public String describe() {
        return "directory " + directory;
    }
}
