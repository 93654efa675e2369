package io.paxoslease.clusters;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory that instances meet in, which can be taken away and given back, with all that was in it. */
final class SharedDirectory {

    private final Path path;
    private final Path elsewhere;

    /** Creates it. */
    SharedDirectory(Path path) throws IOException {
        this.path = Files.createDirectory(path);
        this.elsewhere = path.resolveSibling(path.getFileName() + "-elsewhere");
    }

    Path path() {
        return path;
    }

    /** As a file system that is not mounted. */
    void unmount() {
        move(path, elsewhere);
    }

    void mount() {
        move(elsewhere, path);
    }

    /** A file is in its place, so that every access fails in another way. */
    void replace() {
        unmount();
        try {
            Files.createFile(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void giveBack() {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        mount();
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes leases of another cell, which live long. */
    static void fill(Register register, int leases) throws IOException {
        for (int i = 0; i < leases; i++) {
            register.write("others/lease-%04d".formatted(i), "of others".getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Override
    public String toString() {
        return String.valueOf(path.getFileName());
    }
}
