package io.paxoslease.clusters.witness;

import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A directory that instances meet in, whose mount hangs in this instance while a file exists: writes land when it is gone. */
final class HangingDirectory implements Register {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Register directory;
    private final Path file;

    HangingDirectory(Path directory, Path file) {
        this.directory = new DirectoryRegister(directory);
        this.file = file;
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        while (Files.exists(file)) {
            LockSupport.parkNanos(PERIOD_NANOS);
        }
        directory.write(name, content);
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        return directory.read(name);
    }

    @Override
    public boolean listsNames() {
        return directory.listsNames();
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        return directory.names(prefix);
    }

    @Override
    public void delete(String name) throws IOException {
        directory.delete(name);
    }

    @Override
    public void check() throws IOException {
        directory.check();
    }

    @Override
    public String describe() {
        return directory.describe();
    }
}
