package io.paxoslease.benchmarks;

import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.Register;
import io.paxoslease.store.ReliableRegister;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** One directory, or several as one reliable register, below a directory that exists. */
final class ScaleDirectories implements ScaleStore {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "storage-scale";
    /** As in the starter. */
    private static final int PATIENCE_DIVISOR = 3;

    private static final int BATCH = 100;
    private static final int FLOOR_BYTES = 250;
    private static final long QUIET_MILLIS = 20;
    private static final Duration QUIET_LIMIT = Duration.ofMinutes(1);
    private static final int WALKS = 100;

    private final Path root;
    private final List<Path> directories = new ArrayList<>();
    private final Duration timeout;

    ScaleDirectories(Path parent, int count, Duration accessBound) throws IOException {
        root = Files.createTempDirectory(parent, PREFIX);
        for (int i = 1; i <= count; i++) {
            directories.add(Files.createDirectory(root.resolve(String.valueOf(i))));
        }
        timeout = accessBound.dividedBy(PATIENCE_DIVISOR);
    }

    @Override
    public Register open() {
        return over(directories, timeout);
    }

    private static Register over(List<Path> places, Duration timeout) {
        List<Register> registers = new ArrayList<>();
        places.forEach(place -> registers.add(new DirectoryRegister(place)));
        return registers.size() == 1
                ? registers.get(0)
                : new ReliableRegister(registers, timeout, new SplittableRandom(System.nanoTime()));
    }

    /** Batches are written to a small directory, in memory where there is one, and its files are copied: what lists is fast there. */
    @Override
    public void add(Map<String, byte[]> registers) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>(registers.keySet());
        for (int from = 0; from < names.size(); from += BATCH) {
            Map<String, byte[]> batch = new LinkedHashMap<>();
            names.subList(from, Math.min(names.size(), from + BATCH))
                    .forEach(name -> batch.put(name, registers.getOrDefault(name, new byte[0])));
            addBatch(batch);
        }
        flush();
    }

    private void addBatch(Map<String, byte[]> registers) throws IOException, InterruptedException {
        Path small = Files.createTempDirectory(Files.isWritable(MEMORY) ? MEMORY : root, PREFIX);
        try {
            // Every store is this directory, so that it has all writes, whichever majority answered.
            Register register = over(Collections.nCopies(directories.size(), small), QUIET_LIMIT);
            register.check();
            for (int time = 0; time < 2; time++) {
                for (Map.Entry<String, byte[]> each : registers.entrySet()) {
                    register.write(each.getKey(), each.getValue());
                }
            }
            awaitQuiet(small);
            for (Path directory : directories) {
                copy(small, directory);
            }
        } finally {
            delete(small);
        }
    }

    /** A reliable register answers when a majority has answered. */
    private static void awaitQuiet(Path directory) throws IOException, InterruptedException {
        long end = System.nanoTime() + QUIET_LIMIT.toNanos();
        List<Path> before = List.of();
        List<Path> now = below(directory);
        while (!now.equals(before)) {
            if (System.nanoTime() - end >= 0) {
                throw new IOException("The files in %s still change after %s".formatted(directory, QUIET_LIMIT));
            }
            Thread.sleep(QUIET_MILLIS);
            before = now;
            now = below(directory);
        }
    }

    /** Parents before children. */
    private static List<Path> below(Path directory) throws IOException {
        for (int i = 0; i < WALKS; i++) {
            try (Stream<Path> files = Files.walk(directory)) {
                return files.sorted().toList();
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e.getCause();
                }
            }
        }
        throw new IOException("Files in %s were deleted during each of %d listings".formatted(directory, WALKS));
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path file : below(from)) {
            Path target = to.resolve(from.relativize(file).toString());
            if (!Files.exists(target)) {
                Files.copy(file, target);
            }
        }
    }

    /** What was copied is not to reach the disk while something is measured. */
    private static void flush() throws IOException, InterruptedException {
        try {
            new ProcessBuilder("sync").start().waitFor();
        } catch (IOException e) {
            System.err.printf("Cannot flush the file system before measuring, which goes on: %s%n", e);
        }
    }

    /** Writes, forces and renames a file in the first directory. */
    @Override
    public Histogram floor(int writes) throws IOException {
        Histogram nanos = new Histogram(3);
        Path directory = directories.get(0);
        Path temporary = directory.resolve("t-floor");
        Path file = directory.resolve("t-floor-renamed");
        try {
            for (int i = 0; i < writes; i++) {
                long begin = System.nanoTime();
                try (FileChannel channel =
                        FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.allocate(FLOOR_BYTES));
                    channel.force(true);
                }
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
                nanos.recordValue(System.nanoTime() - begin);
            }
        } finally {
            Files.deleteIfExists(temporary);
            Files.deleteIfExists(file);
        }
        return nanos;
    }

    @Override
    public void close() throws IOException {
        delete(root);
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files = new ArrayList<>(below(directory));
        files.sort(Comparator.reverseOrder());
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
