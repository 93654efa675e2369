package io.paxoslease.membership;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.MembershipText;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the members of a cell in one file of a file system that all its nodes have mounted. The file is text ({@link MembershipText}), and
 * is replaced as a whole: a temporary file beside it is written, forced to the device, and moved over it in one atomic step, under a lock
 * of the file {@code <name>.lock} beside it. So no reader ever sees a part, and a process that dies in the middle leaves the old content and
 * no lock.
 *
 * <p>The file system must have locks that all nodes see, and must show a file that one node has replaced to the others. Local and cluster file
 * systems do; NFS does when it is mounted with {@code noac} (or {@code actimeo=0}) and {@code lookupcache=none}. Put the file into a directory
 * of the shared volume and not at its top: while the volume is not mounted, the directory is missing, which is an error, and an empty mount
 * point would be a cell whose members were never stored.
 *
 * <p>Neither the file nor the lock may be a symbolic link, or anything else than a regular file.
 *
 * <p>Thread-safe. A write waits for others that write, of any process, for 3 s at most; a read waits for nothing but the file system.
 */
public final class FileMembershipStore implements MembershipStore {

    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int MAX_BYTES = 1 << 16;
    /** For other writes, of this process and of others: each takes milliseconds. */
    private static final long PATIENCE_MILLIS = 3_000;

    private static final long PAUSE_MILLIS = 5;
    /** Locks of files are a process's, not a thread's. Changes are so rare that one for all stores is enough. */
    private static final ReentrantLock WRITES = new ReentrantLock();

    private final Path file;
    private final Path directory;
    private final String cell;

    /**
     * Touches nothing yet.
     *
     * @param file where the members are kept; its directory must exist
     * @param cell the name of the cell
     */
    public FileMembershipStore(Path file, String cell) {
        this.file = file.toAbsolutePath();
        Path parent = this.file.getParent();
        if (parent == null || this.file.getFileName() == null) {
            throw new IllegalArgumentException(
                    "'%s' is no file: name one in a directory that all nodes share".formatted(file));
        }
        this.directory = parent;
        this.cell = Objects.requireNonNull(cell, "cell");
    }

    @Override
    public @Nullable Membership read() throws IOException {
        byte[] bytes = bytes();
        if (bytes == null) {
            return null;
        }
        if (bytes.length > MAX_BYTES) {
            throw unreadable("it is longer than %d bytes".formatted(MAX_BYTES), null);
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw unreadable("it is no text", e);
        }
        try {
            return MembershipText.parse(cell, text);
        } catch (IOException e) {
            throw unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    private byte @Nullable [] bytes() throws IOException {
        try {
            return bytesTwice();
        } catch (NoSuchFileException e) {
            if (Files.isDirectory(directory)) {
                return null;
            }
            throw new IOException(
                    "Cannot read the %s: there is no directory %s; mount the file system that all nodes share, and create the directory there"
                            .formatted(describe(), directory),
                    e);
        } catch (AccessDeniedException e) {
            throw new IOException(
                    "Cannot read the %s: let the user of this process read it and its directory (%s)"
                            .formatted(describe(), e),
                    e);
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("Cannot read the %s: %s".formatted(describe(), e), e);
        }
    }

    private byte[] bytesTwice() throws IOException {
        try {
            return bytesOnce();
        } catch (NoSuchFileException | AccessDeniedException e) {
            throw e;
        } catch (FileSystemException e) {
            return bytesOnce(); // a file that was replaced while it was open: NFS calls its handle stale
        }
    }

    private byte[] bytesOnce() throws IOException {
        checkKind(file, "read");
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }

    /** A link would be replaced by a file, and leads anywhere; a pipe is never read to its end. */
    private void checkKind(Path path, String verb) throws IOException {
        BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isRegularFile()) {
            throw new RefusedException("Cannot %s the %s: %s is %s. Name the file itself, which the nodes have stored"
                    .formatted(verb, describe(), path, found.isSymbolicLink() ? "a symbolic link" : "no regular file"));
        }
    }

    /** Says all by itself: it is passed on as it is. */
    private static final class RefusedException extends IOException {

        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    private IOException unreadable(String why, @Nullable IOException cause) {
        return new IOException(
                "Cannot understand the %s: %s. Correct it, or restore it; the nodes that run show the members in their log and at their endpoint"
                        .formatted(describe(), why),
                cause);
    }

    @Override
    public boolean replace(@Nullable Membership expected, Membership next) throws IOException {
        byte[] bytes = MembershipText.format(cell, next).getBytes(StandardCharsets.UTF_8);
        long start = System.nanoTime();
        try {
            if (!WRITES.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        "Cannot write the %s: another thread of this process has been at a store of members for %d ms; look at its file system, and try again"
                                .formatted(describe(), PATIENCE_MILLIS));
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        try (FileChannel channel = lockFile();
                FileLock lock = lock(channel, start)) {
            if (!lock.isValid() || !Objects.equals(read(), expected)) {
                return false;
            }
            removeLeftovers();
            write(bytes);
            return true;
        } finally {
            WRITES.unlock();
        }
    }

    private InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("Interrupted before the %s was written".formatted(describe()));
    }

    private Path lockPath() {
        return directory.resolve(file.getFileName() + ".lock");
    }

    private FileChannel lockFile() throws IOException {
        Path path = lockPath();
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                checkKind(path, "lock");
            }
            return FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "Cannot write the %s: there is no directory %s; mount the file system that all nodes share, and create the directory there"
                            .formatted(describe(), directory),
                    e);
        } catch (FileSystemException e) {
            throw unwritable(e);
        }
    }

    private FileLock lock(FileChannel channel, long start) throws IOException {
        try {
            return lockWithin(channel, start);
        } catch (RefusedException e) {
            throw e;
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (OverlappingFileLockException e) {
            throw new IOException(
                    "Cannot write the %s: another application in this process writes it at this moment; try again"
                            .formatted(describe()),
                    e);
        } catch (ClosedByInterruptException | FileLockInterruptionException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "Cannot lock the %s: its file system must have locks that all nodes see (%s); choose another one, or a database"
                            .formatted(describe(), e),
                    e);
        }
    }

    /** Looks again and again, since waiting for a lock has no limit. An attempt is a round trip where the file is remote. */
    private FileLock lockWithin(FileChannel channel, long start) throws IOException, InterruptedException {
        do {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return lock;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
        throw new RefusedException(
                "Cannot write the %s: another process has had the lock of %s for %d ms. Find it, for instance with lsof, end it if it hangs, and try again"
                        .formatted(describe(), lockPath(), PATIENCE_MILLIS));
    }

    private void write(byte[] bytes) throws IOException {
        Path temporary = directory.resolve(temporaryPrefix() + UUID.randomUUID());
        try {
            SyncedFiles.replace(file, temporary, bytes);
        } catch (AtomicMoveNotSupportedException | UnsupportedOperationException e) {
            throw new IOException(
                    "Cannot write the %s: its file system cannot replace a file in one atomic step; choose another one, or a database (%s)"
                            .formatted(describe(), e),
                    e);
        } catch (FileSystemException e) {
            throw unwritable(e);
        }
        forceDirectory();
    }

    private IOException unwritable(FileSystemException e) {
        return new IOException(
                "Cannot write the %s: let the user of this process read and write it, and create, replace and delete files in its directory (%s)"
                        .formatted(describe(), e),
                e);
    }

    private String temporaryPrefix() {
        return file.getFileName() + ".new-";
    }

    /** Not the store of another cell whose name begins in the same way. */
    private boolean isTemporary(String name) {
        return name.startsWith(temporaryPrefix())
                && UUID_TEXT.matcher(name.substring(temporaryPrefix().length())).matches();
    }

    /** Of writers that died: who holds the lock is the only one that writes. */
    private void removeLeftovers() throws IOException {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, found -> isTemporary(String.valueOf(found.getFileName())))) {
            files.forEach(SyncedFiles::remove);
        }
    }

    private void forceDirectory() {
        try {
            SyncedFiles.force(directory);
        } catch (IOException | UnsupportedOperationException e) {
            // Not on Windows, and not on every network file system: those force a rename by themselves, or never.
        }
    }

    @Override
    public String describe() {
        return "file " + file;
    }
}
