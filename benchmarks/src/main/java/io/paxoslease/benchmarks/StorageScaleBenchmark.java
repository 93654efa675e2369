package io.paxoslease.benchmarks;

import io.paxoslease.Lease;
import io.paxoslease.benchmarks.ScaleMeasurement.Figures;
import io.paxoslease.benchmarks.ScaleMeasurement.Operation;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.HdrHistogram.Histogram;
import org.h2.jdbcx.JdbcConnectionPool;
import org.postgresql.ds.PGConnectionPoolDataSource;

/** What a lease in shared storage costs when there are many others in the same store. */
final class StorageScaleBenchmark {

    static final Map<String, Integer> DEFAULTS =
            Map.of("few", 10, "some", 1_000, "many", 10_000, "samples", 30, "bound-ms", 500);

    private static final String DIRECTORY = "--directory=";
    private static final String POSTGRES = "--postgres=";
    private static final int REPLICAS = 3;
    private static final int FLOORS_IN_A_SAMPLE = 5;
    private static final int WARM_UP = 5;
    private static final String TEMPLATE = "other-template";
    private static final String OTHER = "other-%08d";
    private static final String MEASURED = "measured-%d";
    private static final double MILLI = 1e6;

    private final PrintStream out;
    private final Options options;
    private final Duration accessBound;
    private final List<Integer> sizes;

    /** The nanoseconds in the store of the first size of a store, by operation. */
    private final Map<Operation, Double> first = new EnumMap<>(Operation.class);

    private StorageScaleBenchmark(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.accessBound = Duration.ofMillis(options.get("bound-ms"));
        this.sizes = List.of(options.get("few"), options.get("some"), options.get("many"));
        if (!sizes.equals(sizes.stream().sorted().toList())) {
            throw new IllegalArgumentException(
                    "The numbers of other leases must not fall: '--few', '--some', '--many'");
        }
    }

    /** @param args also where a shared directory is, and the URL of a PostgreSQL database with user and password */
    static void run(PrintStream out, String... args) throws IOException, InterruptedException, ExecutionException {
        List<String> numbers = new ArrayList<>(List.of(args));
        numbers.removeIf(arg -> arg.startsWith(DIRECTORY) || arg.startsWith(POSTGRES));
        StorageScaleBenchmark benchmark =
                new StorageScaleBenchmark(Options.parse(DEFAULTS, numbers.toArray(String[]::new)), out);
        Machine.describe(out);
        benchmark.run(List.of(args));
        out.printf("load average %s%n", Machine.load());
    }

    private void run(List<String> args) throws IOException, InterruptedException, ExecutionException {
        Path parent = Path.of("");
        List<String> servers = new ArrayList<>();
        for (String arg : args) {
            if (arg.startsWith(DIRECTORY)) {
                parent = Path.of(arg.substring(DIRECTORY.length()));
            } else if (arg.startsWith(POSTGRES)) {
                servers.add(arg.substring(POSTGRES.length()));
            }
        }
        printHead();
        JdbcConnectionPool memory = JdbcConnectionPool.create("jdbc:h2:mem:storage-scale;DB_CLOSE_DELAY=-1", "sa", "");
        measure("H2 in memory", new ScaleTable(memory, accessBound));
        for (String server : servers) {
            PGConnectionPoolDataSource source = new PGConnectionPoolDataSource();
            source.setUrl(server);
            measure("PostgreSQL", new ScaleTable(JdbcConnectionPool.create(source), accessBound));
        }
        measure("directory", new ScaleDirectories(parent, 1, accessBound));
        measure("three directories", new ScaleDirectories(parent, REPLICAS, accessBound));
    }

    private void printHead() {
        out.printf(
                "%d samples, access bound %d ms, times in milliseconds%n%n",
                options.get("samples"), accessBound.toMillis());
        out.printf(
                "%-19s %-7s %-10s |%15s |%34s |%20s |%29s%n",
                "",
                "other",
                "",
                "accesses",
                "in the store, for all of these",
                "in the store, times",
                "from call to outcome");
        out.printf(
                "%-19s %-7s %-10s |%7s %7s |%9s %9s %9s     |%9s %9s  |%9s %9s %9s%n",
                "store", "leases", "", "p50", "max", "p50", "p90", "max", "first", "floor", "p50", "p90", "max");
    }

    private void measure(String title, ScaleStore store) throws IOException, InterruptedException, ExecutionException {
        try (store) {
            Map<String, byte[]> template = prepare(store);
            int there = 0;
            first.clear();
            warmUp(store);
            for (int size : sizes) {
                store.add(others(template, there, size));
                there = size;
                measure(title, store, size);
            }
        }
    }

    /** Acquires and releases every lease that is going to be measured, and answers what such a lease leaves in the store. */
    private Map<String, byte[]> prepare(ScaleStore store) throws IOException, InterruptedException, ExecutionException {
        Register register = store.open();
        try (ScaleClient client = new ScaleClient("prepares", register, accessBound)) {
            List<CompletableFuture<Void>> released = new ArrayList<>();
            for (int i = 0; i < options.get("samples"); i++) {
                // At once: a lease that has ended meanwhile cannot be released, and is waited for when it is measured.
                released.add(client.acquire(MEASURED.formatted(i)).thenAccept(Lease::release));
            }
            for (CompletableFuture<Void> each : released) {
                each.get();
            }
            client.release(client.acquire(TEMPLATE).get());
            Map<String, byte[]> template = new LinkedHashMap<>();
            for (String name : client.written()) {
                if (name.contains(TEMPLATE)) {
                    template.put(name, Objects.requireNonNull(register.read(name)));
                }
            }
            if (template.isEmpty()) {
                throw new IllegalStateException("No register's name contains '%s': others cannot be made of %s"
                        .formatted(TEMPLATE, client.written()));
            }
            return template;
        }
    }

    private static Map<String, byte[]> others(Map<String, byte[]> template, int from, int to) {
        Map<String, byte[]> others = new LinkedHashMap<>();
        for (int i = from; i < to; i++) {
            String other = OTHER.formatted(i);
            template.forEach((name, content) -> others.put(name.replace(TEMPLATE, other), content));
        }
        return others;
    }

    private void warmUp(ScaleStore store) throws IOException, InterruptedException, ExecutionException {
        try (ScaleClient holder = new ScaleClient("holder", store.open(), accessBound);
                ScaleClient next = new ScaleClient("next", store.open(), accessBound)) {
            ScaleMeasurement unprinted = new ScaleMeasurement(holder, next, accessBound);
            for (int i = 0; i < Math.min(WARM_UP, options.get("samples")); i++) {
                store.floor(FLOORS_IN_A_SAMPLE);
                unprinted.measure(MEASURED.formatted(i));
            }
        }
    }

    private void measure(String title, ScaleStore store, int size)
            throws IOException, InterruptedException, ExecutionException {
        Histogram floors = new Histogram(3);
        try (ScaleClient holder = new ScaleClient("holder", store.open(), accessBound);
                ScaleClient next = new ScaleClient("next", store.open(), accessBound)) {
            ScaleMeasurement measurement = new ScaleMeasurement(holder, next, accessBound);
            for (int i = 0; i < options.get("samples"); i++) {
                floors.add(store.floor(FLOORS_IN_A_SAMPLE));
                measurement.measure(MEASURED.formatted(i));
            }
            double floor = floors.getValueAtPercentile(50);
            for (Operation operation : Operation.values()) {
                print(title, size, operation, measurement.of(operation), floor);
            }
            out.printf(
                    Locale.ROOT,
                    "%-19s %-7d floor %.3f ms, %d accesses failed or took too long, %d leases lost, load %s%n",
                    title,
                    size,
                    floor / MILLI,
                    holder.troubles() + next.troubles(),
                    measurement.lost(),
                    Machine.load());
        }
    }

    private void print(String title, int size, Operation operation, Figures figures, double floor) {
        double inStore = figures.inStore().getValueAtPercentile(50);
        double base = first.computeIfAbsent(operation, none -> inStore);
        out.printf(
                Locale.ROOT,
                "%-19s %-7d %-10s |%7d %7d |%s     |%9.2f %9.2f  |%s%n",
                title,
                size,
                operation,
                figures.accesses().getValueAtPercentile(50),
                figures.accesses().getMaxValue(),
                millis(figures.inStore()),
                inStore / base,
                inStore / floor,
                millis(figures.whole()));
    }

    private static String millis(Histogram nanos) {
        return String.format(
                Locale.ROOT,
                "%9.3f %9.3f %9.3f",
                nanos.getValueAtPercentile(50) / MILLI,
                nanos.getValueAtPercentile(90) / MILLI,
                nanos.getMaxValue() / MILLI);
    }
}
