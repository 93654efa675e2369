package io.paxoslease.testing;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The default file system with faults of its own: paths of it lead here, and from here to the real ones. */
public final class FaultyFiles extends FileSystemProvider {

    /** Instead of a move. */
    public interface Move {
        void move(Path from, Path to) throws IOException;
    }

    private final FileSystem system = new Disk();
    private final List<String> steps = new ArrayList<>();
    private @Nullable Move move;
    private @Nullable String vanishing;
    private IOException readFailure = new IOException();
    private int failingReads;
    private boolean forcesDirectories = true;
    private Runnable onTryLock = () -> {};

    public void onMove(Move instead) {
        move = instead;
    }

    /** Before each attempt to lock a file. */
    public void onTryLock(Runnable first) {
        onTryLock = first;
    }

    public void failNextReads(int count, IOException failure) {
        failingReads = count;
        readFailure = failure;
    }

    public void forcesDirectories(boolean forces) {
        forcesDirectories = forces;
    }

    /** Who lists a directory is told of files whose names begin so, and that is the last of them. */
    public void deleteWhenListed(String prefix) {
        vanishing = prefix;
    }

    /** What was done since the last call so that a machine that loses power does not lose a file, in order. */
    public List<String> steps() {
        List<String> result = List.copyOf(steps);
        steps.clear();
        return result;
    }

    /** The path in this file system. */
    public Path path(Path real) {
        return (Path) Proxy.newProxyInstance(
                FaultyFiles.class.getClassLoader(),
                new Class<?>[] {Path.class, Faulty.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("getFileSystem")) {
                        return system;
                    }
                    if (method.getName().equals("real")) {
                        return real;
                    }
                    Object[] reals = args == null ? new Object[0] : args.clone();
                    for (int i = 0; i < reals.length; i++) {
                        reals[i] = reals[i] instanceof Path path ? real(path) : reals[i];
                    }
                    try {
                        Object result = method.invoke(real, reals);
                        return result instanceof Path path ? path(path) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A path that knows what it stands for. */
    interface Faulty {
        Path real();
    }

    private static Path real(Path path) {
        return path instanceof Faulty faulty ? faulty.real() : path;
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        steps.add("move");
        if (move == null) {
            Files.move(real(source), real(target), options);
        } else {
            move.move(real(source), real(target));
        }
    }

    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        if (failingReads > 0) {
            failingReads--;
            throw readFailure;
        }
        return Files.newInputStream(real(path), options);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        boolean directory = Files.isDirectory(real(path));
        if (directory && !forcesDirectories) {
            throw new AccessDeniedException(path.toString());
        }
        return new WatchedChannel(
                FileChannel.open(real(path), options, attributes),
                () -> steps.add(directory ? "force the directory" : "force the file"),
                onTryLock);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return Files.newByteChannel(real(path), options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(real(directory), filter)) {
            for (Path file : files) {
                found.add(path(file));
                if (vanishing != null && file.getFileName().toString().startsWith(vanishing)) {
                    Files.delete(file);
                }
            }
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return found.iterator();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        Files.createDirectory(real(directory), attributes);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.delete(real(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        Files.copy(real(source), real(target), options);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        return Files.isSameFile(real(path), real(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return Files.isHidden(real(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return Files.getFileStore(real(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        real(path).getFileSystem().provider().checkAccess(real(path), modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return Files.getFileAttributeView(real(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return Files.readAttributes(real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return Files.readAttributes(real(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        Files.setAttribute(real(path), attribute, value, options);
    }

    @Override
    public String getScheme() {
        return "faulty";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
        return system;
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return system;
    }

    @Override
    public Path getPath(URI uri) {
        return path(Path.of(uri));
    }

    private final class Disk extends FileSystem {

        private final FileSystem real = Path.of("").getFileSystem();

        @Override
        public FileSystemProvider provider() {
            return FaultyFiles.this;
        }

        @Override
        public void close() {}

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            return real.getSeparator();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            List<Path> roots = new ArrayList<>();
            real.getRootDirectories().forEach(root -> roots.add(path(root)));
            return roots;
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            return real.getFileStores();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return real.supportedFileAttributeViews();
        }

        @Override
        public Path getPath(String first, String... more) {
            return path(real.getPath(first, more));
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            return real.getPathMatcher(pattern);
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            return real.getUserPrincipalLookupService();
        }

        @Override
        public WatchService newWatchService() throws IOException {
            return real.newWatchService();
        }
    }
}
