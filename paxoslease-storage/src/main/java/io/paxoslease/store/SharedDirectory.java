package io.paxoslease.store;

import io.paxoslease.membership.SyncedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A directory that all clients have mounted, and the files in it and in its subdirectories. It has an id, by which a client notices
 * that another directory is in its place. Thread-safe.
 */
final class SharedDirectory {

    private static final String TEMPORARY = "t-";
    private static final String ID = "store-id";
    private static final int ID_LENGTH = 36;
    /** Far longer than a write takes: what is older was left by a writer that died. */
    private static final Duration LEFTOVER = Duration.ofHours(1);

    private final Path path;
    private final boolean create;
    /** Whether a directory can be forced to the device: not on Windows, and not on every network file system. */
    private volatile boolean forces;
    /** Null until it was checked. */
    private volatile @Nullable String id;

    SharedDirectory(Path path, boolean create) {
        this.path = Objects.requireNonNull(path, "directory");
        this.create = create;
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    /** What is in the file; null when it does not exist. */
    static byte @Nullable [] bytes(Path file) throws IOException {
        try {
            return bytesOnce(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            return again(file);
        }
    }

    /** A file that was replaced while it was open: NFS calls its handle stale. */
    private static byte @Nullable [] again(Path file) throws IOException {
        try {
            return bytesOnce(file);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static byte[] bytesOnce(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(Entry.MAX_BYTES + 1);
        }
    }

    static @Nullable Entry entry(Path file) throws IOException {
        byte[] bytes = bytes(file);
        return bytes == null ? null : Entry.decode(bytes, file.toString());
    }

    /** The names of the files in one of its subdirectories, or in itself, that begin so. */
    static List<String> list(Path directory, String begin) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                directory, file -> String.valueOf(file.getFileName()).startsWith(begin))) {
            for (Path file : files) {
                names.add(String.valueOf(file.getFileName()));
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    List<String> list(String begin) throws IOException {
        return list(path, begin);
    }

    /** Replaces a file of this directory in one atomic step. It is on the device when this returns. */
    void write(String name, byte[] bytes) throws IOException {
        replace(resolve(name), bytes);
        force(path);
    }

    /** Replaces a file of a subdirectory in one atomic step. It is on the device when this returns. */
    void write(Path subdirectory, String name, byte[] bytes) throws IOException {
        replace(subdirectory.resolve(name), bytes);
        force(subdirectory);
    }

    private void replace(Path file, byte[] bytes) throws IOException {
        SyncedFiles.replace(file, temporary(), bytes);
    }

    private Path temporary() {
        return resolve(TEMPORARY + UUID.randomUUID());
    }

    /** Creates a subdirectory, unless another client has. It need not be on the device yet. */
    void create(Path subdirectory) throws IOException {
        try {
            Files.createDirectory(subdirectory);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(subdirectory)) {
                throw e;
            }
        }
    }

    /** Has this directory's subdirectories on the device. */
    void force() throws IOException {
        force(path);
    }

    private void force(Path directory) throws IOException {
        if (forces) {
            SyncedFiles.force(directory);
        }
    }

    /**
     * To be called when something is not there, and before something is created.
     *
     * @throws IOException when this is not the directory that was checked
     */
    void verify() throws IOException {
        String expected = id;
        if (expected == null) {
            return;
        }
        String found = readId();
        if (!expected.equals(found)) {
            throw new IOException(
                    "%s is not the directory that it was: its file %s %s. Mount the file system again; if it was replaced on purpose, stop all clients of the store, wait for the longest lease time, and start them"
                            .formatted(path, ID, found == null ? "is missing" : "has another content"));
        }
    }

    private @Nullable String readId() throws IOException {
        byte[] bytes = bytes(resolve(ID));
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** Sees whether the directory exists, takes files and replaces them atomically, and removes what writers that died have left. */
    void check() throws IOException {
        if (id != null) {
            verify();
        } else if (create) {
            Files.createDirectories(path);
        }
        if (!Files.isDirectory(path)) {
            throw new IOException(
                    Files.exists(path)
                            ? "%s is no directory: name one that all clients share".formatted(path)
                            : "The directory %s does not exist: mount the file system that all clients share, and create the directory there"
                                    .formatted(path));
        }
        Path probe = temporary();
        try {
            probe(probe);
            removeLeftovers(Files.getLastModifiedTime(probe).toMillis());
        } finally {
            SyncedFiles.remove(probe);
        }
        forces = canForce();
        if (id == null) {
            id = identified();
        }
    }

    private void probe(Path probe) throws IOException {
        byte[] second = {2};
        try {
            replace(probe, new byte[] {1});
            replace(probe, second);
        } catch (AccessDeniedException e) {
            throw new IOException(
                    "Cannot write to the directory %s: let this process's user create, replace and delete files in it (%s)"
                            .formatted(path, e),
                    e);
        } catch (AtomicMoveNotSupportedException | UnsupportedOperationException e) {
            throw new IOException(
                    "The file system of %s cannot replace a file in one atomic step: choose another one, such as NFS, or a database (%s)"
                            .formatted(path, e),
                    e);
        } catch (FileSystemException e) {
            throw new IOException("Cannot create and replace files in the directory %s: %s".formatted(path, e), e);
        }
        byte[] found = bytes(probe);
        if (!Arrays.equals(found, second)) {
            throw new IOException(
                    "The file system of %s does not show what was just written: mount it without caching, or choose another one"
                            .formatted(path));
        }
    }

    /** @param now by the clock of the file system, which is the one that the files' times are of */
    private void removeLeftovers(long now) throws IOException {
        for (String name : list(TEMPORARY)) {
            Path file = resolve(name);
            try {
                if (now - Files.getLastModifiedTime(file).toMillis() > LEFTOVER.toMillis()) {
                    Files.deleteIfExists(file);
                }
            } catch (NoSuchFileException e) {
                // Its writer lives.
            }
        }
    }

    private boolean canForce() {
        try {
            SyncedFiles.force(path);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** The id, which the first client that comes has drawn. */
    private String identified() throws IOException {
        String found = readId();
        if (found == null) {
            createId(UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
            force(path);
            found = readId();
        }
        if (found == null || found.length() != ID_LENGTH) {
            throw new IOException(
                    "%s does not hold the id of this store: another client is just creating it, or has died in the middle of that. Start this client again; if it fails again, remove the file while no client of the store is running"
                            .formatted(resolve(ID)));
        }
        return found;
    }

    /** As a whole, where the file system has hard links. */
    private void createId(byte[] bytes) throws IOException {
        Path temporary = temporary();
        try {
            SyncedFiles.replace(temporary, temporary(), bytes);
            Files.createLink(resolve(ID), temporary);
        } catch (FileAlreadyExistsException e) {
            // Another client was faster.
        } catch (FileSystemException | UnsupportedOperationException e) {
            createIdWithoutLinks(bytes);
        } finally {
            SyncedFiles.remove(temporary);
        }
    }

    private void createIdWithoutLinks(byte[] bytes) throws IOException {
        try {
            Files.write(
                    resolve(ID),
                    bytes,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.SYNC);
        } catch (FileAlreadyExistsException e) {
            // Another client was faster.
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
