package io.paxoslease.store;

import io.paxoslease.jdbc.internal.RegisterNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directory of a file system that all clients have mounted. Each register is one file, which is replaced as a whole: a
 * temporary file is written, forced to the device, and moved over the old one in one atomic step. Reads and writes only.
 *
 * <p>The file system must show a file that was replaced by one client to every other client at once, or within the access bound.
 * Local and cluster file systems do. NFS does when it is mounted with {@code noac} (or {@code actimeo=0}) and
 * {@code lookupcache=none}; with its default caching a client may see old content for a minute, and two clients may hold one lease.
 *
 * <p>The directory is for registers alone. Files {@code t-...} in it are writes under way, and {@code store-id} tells it from every other
 * directory. A {@link ReliableRegister} has a subdirectory {@code v-...} for each of its registers there.
 */
public final class DirectoryRegister implements Register {

    private static final String REGISTER = "r-";

    private final SharedDirectory directory;

    /** @param directory must exist when it is first used */
    public DirectoryRegister(Path directory) {
        this(directory, false);
    }

    /**
     * @param directory where the files are
     * @param create whether {@link #check} creates the directory, and those above it, when it does not exist. A shared file
     *     system that is not mounted is then not noticed at the start.
     */
    public DirectoryRegister(Path directory, boolean create) {
        this.directory = new SharedDirectory(directory, create);
    }

    /** For a {@link ReliableRegister}. */
    Versions versions() {
        return new VersionsInDirectory(directory);
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        Path file = directory.resolve(fileName(name));
        Entry entry = SharedDirectory.entry(file);
        if (entry == null) {
            directory.verify();
            return null;
        }
        return entry.contentOf(name, file.toString());
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        byte[] bytes = new Entry(name, content).encode();
        String file = fileName(name);
        if (!Files.exists(directory.resolve(file))) {
            directory.verify();
        }
        directory.write(file, bytes);
    }

    @Override
    public boolean listsNames() {
        return true;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        for (String file : directory.list(REGISTER + RegisterNames.keyPrefix(prefix))) {
            String name = nameOf(file);
            if (name != null && name.startsWith(prefix)) {
                names.add(name);
            }
        }
        directory.verify();
        return names;
    }

    private @Nullable String nameOf(String file) throws IOException {
        String name = RegisterNames.name(file.substring(REGISTER.length()));
        if (name != null) {
            return name;
        }
        Entry entry = SharedDirectory.entry(directory.resolve(file));
        return entry == null ? null : entry.name();
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(fileName(name)));
    }

    private static String fileName(String name) {
        return REGISTER + RegisterNames.key(name);
    }

    /**
     * Sees whether the directory exists, takes files and replaces them atomically, and removes what writers that died have left. From then on,
     * an access fails if it finds no file and the directory is not the one that was checked.
     */
    @Override
    public void check() throws IOException {
        directory.check();
    }

    @Override
    public String describe() {
        return "directory " + directory;
    }
}
