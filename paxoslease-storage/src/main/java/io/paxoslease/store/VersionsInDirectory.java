package io.paxoslease.store;

import io.paxoslease.jdbc.internal.RegisterNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every register is a subdirectory, and every version a file in it: an access lists the versions of one register, however many there are. A
 * subdirectory stays.
 */
record VersionsInDirectory(SharedDirectory directory) implements Versions {

    private static final String REGISTER = "v-";

    @Override
    public List<String> ids(String name) throws IOException {
        try {
            return SharedDirectory.list(subdirectory(name), "");
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    @Override
    public byte @Nullable [] read(String name, String id) throws IOException {
        Path file = subdirectory(name).resolve(id);
        Entry entry = SharedDirectory.entry(file);
        if (entry == null) {
            directory.verify();
            return null;
        }
        return entry.contentOf(name, file.toString());
    }

    @Override
    public void write(String name, String id, byte[] bytes) throws IOException {
        Path subdirectory = subdirectory(name);
        byte[] entry = new Entry(name, bytes).encode();
        if (id.equals(MonotonicByName.MARKER)) {
            directory.force(); // a client that sees the marker knows that the subdirectory is on the device
        }
        try {
            directory.write(subdirectory, id, entry);
        } catch (NoSuchFileException e) {
            directory.verify();
            directory.create(subdirectory);
            directory.write(subdirectory, id, entry);
        }
    }

    @Override
    public void delete(String name, String id) throws IOException {
        Files.deleteIfExists(subdirectory(name).resolve(id));
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        for (String found : directory.list(REGISTER + RegisterNames.keyPrefix(prefix))) {
            String name = nameOf(found);
            if (name != null && name.startsWith(prefix)) {
                names.add(name);
            }
        }
        directory.verify();
        return names;
    }

    private @Nullable String nameOf(String subdirectory) throws IOException {
        String name = RegisterNames.name(subdirectory.substring(REGISTER.length()));
        if (name != null) {
            return name;
        }
        Entry marker = SharedDirectory.entry(directory.resolve(subdirectory).resolve(MonotonicByName.MARKER));
        return marker == null ? null : marker.name();
    }

    private Path subdirectory(String name) {
        return directory.resolve(REGISTER + RegisterNames.key(name));
    }

    @Override
    public int longestName() {
        return RegisterNames.LONGEST_NAME;
    }
}
