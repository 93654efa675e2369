package io.paxoslease.benchmarks;

import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.JdbcRegister;
import io.paxoslease.store.Register;
import io.paxoslease.store.ReliableRegister;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.h2.jdbcx.JdbcConnectionPool;
import org.postgresql.ds.PGConnectionPoolDataSource;

/**
 * How long one thread's accesses to a store take, from the call to its return: the base of the access bound. A read, a write, and,
 * where the store compares and sets, that, by turns.
 */
final class StorageAccessBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("accesses", 2_000, "warm-up", 500);

    private static final String DIRECTORY = "--directory=";
    private static final String POSTGRES = "--postgres=";
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int STAMP_BYTES = 120;
    private static final double MICRO = 1_000;

    private final PrintStream out = System.out;
    private final int accesses;
    private final int warmUp;

    private StorageAccessBenchmark(Options options) {
        accesses = options.get("accesses");
        warmUp = options.get("warm-up");
    }

    /** @param args also where a shared directory is, and the URL of a PostgreSQL database with user and password */
    static void run(String... args) throws IOException {
        List<String> numbers = new ArrayList<>(List.of(args));
        numbers.removeIf(arg -> arg.startsWith(DIRECTORY) || arg.startsWith(POSTGRES));
        StorageAccessBenchmark benchmark =
                new StorageAccessBenchmark(Options.parse(DEFAULTS, numbers.toArray(String[]::new)));
        Machine.describe(benchmark.out);
        benchmark.out.printf(
                "%d accesses of each kind, microseconds%n%n%-34s %-7s |%9s %9s %9s %9s%n",
                benchmark.accesses, "store", "access", "p50", "p99", "p99.9", "max");
        benchmark.directories(List.of(args));
        benchmark.databases(List.of(args));
        benchmark.out.printf("load average %s%n", Machine.load());
    }

    private void directories(List<String> args) throws IOException {
        Path onDisk = Files.createTempDirectory(Path.of(""), "storage-access");
        try {
            measure("directory on disk", new DirectoryRegister(onDisk));
            measure("three directories on disk, reliable", threeIn(onDisk));
        } finally {
            delete(onDisk);
        }
        if (Files.isWritable(MEMORY)) {
            Path inMemory = Files.createTempDirectory(MEMORY, "storage-access");
            try {
                measure("directory on tmpfs", new DirectoryRegister(inMemory));
            } finally {
                delete(inMemory);
            }
        }
        for (String arg : args) {
            if (arg.startsWith(DIRECTORY)) {
                String given = arg.substring(DIRECTORY.length());
                measure("directory " + given, new DirectoryRegister(Path.of(given)));
            }
        }
    }

    private static Register threeIn(Path directory) throws IOException {
        List<Register> bases = new ArrayList<>();
        for (String name : List.of("1", "2", "3")) {
            bases.add(new DirectoryRegister(Files.createDirectory(directory.resolve(name))));
        }
        return new ReliableRegister(bases, Duration.ofSeconds(10), new SplittableRandom());
    }

    private void databases(List<String> args) throws IOException {
        table("H2 in memory", JdbcConnectionPool.create("jdbc:h2:mem:storage-access;DB_CLOSE_DELAY=-1", "sa", ""));
        Path file = Files.createTempDirectory(Path.of(""), "storage-access");
        try {
            table("H2 in a file", JdbcConnectionPool.create("jdbc:h2:" + file.toAbsolutePath() + "/h2", "sa", ""));
        } finally {
            delete(file);
        }
        for (String arg : args) {
            if (arg.startsWith(POSTGRES)) {
                PGConnectionPoolDataSource server = new PGConnectionPoolDataSource();
                server.setUrl(arg.substring(POSTGRES.length()));
                table("PostgreSQL", JdbcConnectionPool.create(server));
            }
        }
    }

    private void table(String name, JdbcConnectionPool pool) throws IOException {
        try {
            measure(name, new JdbcRegister(pool).withInitializedSchema().withAccessBound(Duration.ofSeconds(10)));
        } finally {
            pool.dispose();
        }
    }

    private void measure(String name, Register register) throws IOException {
        register.check();
        Histogram reads = new Histogram(3);
        Histogram writes = new Histogram(3);
        Histogram sets = new Histogram(3);
        byte[] content = new byte[STAMP_BYTES];
        for (int i = -warmUp; i < accesses; i++) {
            if (i == 0) {
                reads.reset();
                writes.reset();
                sets.reset();
            }
            byte[] next = content.clone();
            next[0] = (byte) i;
            next[1] = (byte) (i >> 8);
            timed(writes, () -> register.write("measured", next));
            timed(reads, () -> register.read("measured"));
            content = next;
            if (register.comparesAndSets()) {
                byte[] replaced = next.clone();
                replaced[2]++;
                timed(sets, () -> register.compareAndSet("measured", next, replaced));
                content = replaced;
            }
        }
        print(name, "read", reads);
        print(name, "write", writes);
        if (sets.getTotalCount() > 0) {
            print(name, "compare", sets);
        }
    }

    private interface Access {
        void run() throws IOException;
    }

    private static void timed(Histogram histogram, Access access) throws IOException {
        long begin = System.nanoTime();
        access.run();
        histogram.recordValue(System.nanoTime() - begin);
    }

    private void print(String name, String access, Histogram histogram) {
        out.printf(
                Locale.ROOT,
                "%-34s %-7s |%9.0f %9.0f %9.0f %9.0f%n",
                name,
                access,
                histogram.getValueAtPercentile(50) / MICRO,
                histogram.getValueAtPercentile(99) / MICRO,
                histogram.getValueAtPercentile(99.9) / MICRO,
                histogram.getMaxValue() / MICRO);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
