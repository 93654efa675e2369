package io.paxoslease.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A group of shards over processes: for how long shards have no owner when one process is stopped (SIGTERM) or killed (SIGKILL), and how many
 * move. Three members and clients, one node each. The time runs from the end of the work in the one process, or from the signal that
 * killed it, to its begin in another one. If the work begins earlier than it ends, two processes work on one shard meanwhile.
 */
public final class ShardsBenchmark implements AutoCloseable {

    static final Map<String, Integer> DEFAULTS = Map.of(
            "processes",
            8,
            "nodes",
            1,
            "shards",
            256,
            "runs",
            20,
            "lease-ms",
            3000,
            "settle-ms",
            3000,
            "work-ms",
            10,
            "rest-s",
            10);

    private static final int MEMBERS = 3;
    private static final long PATIENCE_SECONDS = 90;
    private static final long QUIET_MILLIS = 1_500;

    private record Said(String node, boolean begins, int shard, long nanoTime) {}

    private final Options options;
    private final Class<?> main;
    private final Map<String, String> members;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final BlockingQueue<Said> heard = new LinkedBlockingQueue<>();
    private final String[] owners;
    private final List<Said> sinceSignal = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    private ShardsBenchmark(Options options, Class<?> main) {
        this.options = options;
        this.main = main;
        this.members = FreePorts.forNodes("m0", "m1", "m2");
        this.owners = new String[options.get("shards")];
        names.addAll(members.keySet());
        for (int i = MEMBERS; i < options.get("processes"); i++) {
            names.add("c" + i);
        }
    }

    /** The groups of this library alone. */
    static void run(String... args) throws IOException, InterruptedException {
        run(Map.of("PaxosLease", ShardsNode.class), args);
    }

    /**
     * One product after the other.
     *
     * @param products the main class of a process, which is started and speaks like {@link ShardsNode}, by the product's name
     * @param args options, as {@code --runs=20}
     * @throws IllegalArgumentException when an option is none
     */
    public static void run(Map<String, Class<?>> products, String... args) throws IOException, InterruptedException {
        Options options = Options.parse(DEFAULTS, args);
        Machine.describe(System.out);
        System.out.printf(
                "%d shards over %d processes, lease time %d ms, work ends in %d ms%n",
                options.get("shards"), options.get("processes"), options.get("lease-ms"), options.get("work-ms"));
        for (Map.Entry<String, Class<?>> product : products.entrySet()) {
            System.out.printf("%n%s%n", product.getKey());
            try (ShardsBenchmark benchmark = new ShardsBenchmark(options, product.getValue())) {
                benchmark.measure();
            }
        }
        System.out.printf("%nload average %s%n", Machine.load());
    }

    private void measure() throws IOException, InterruptedException {
        for (String name : names) {
            launch(name);
        }
        awaitBalance();
        rest();
        if (options.get("nodes") > 1) {
            return; // a process ends with all of its nodes
        }
        int runs = options.get("runs");
        Figures stops = new Figures();
        Figures kills = new Figures();
        for (int run = 0; run < runs; run++) {
            String one = names.get(MEMBERS + run % (names.size() - MEMBERS));
            end(one, false, stops);
            end(one, true, kills);
        }
        stops.print("graceful stop (SIGTERM)");
        kills.print("kill (SIGKILL)");
    }

    /** What it costs while no shard moves. */
    private void rest() throws IOException, InterruptedException {
        int seconds = options.get("rest-s");
        long bytes = loopbackBytes();
        long processor = processorNanosOfMembers();
        sinceSignal.clear();
        TimeUnit.SECONDS.sleep(seconds);
        long members = processorNanosOfMembers() - processor;
        System.out.printf(
                "%-24s %d instances, for %d s: %.1f kB/s over loopback in both directions, processor time of a member %.2f ms/s; lines of work: %d%n",
                "at rest",
                instances(),
                seconds,
                (loopbackBytes() - bytes) / 1e3 / seconds,
                members / 1e6 / MEMBERS / seconds,
                heard.size());
    }

    private int instances() {
        return MEMBERS + (names.size() - MEMBERS) * options.get("nodes");
    }

    private static long loopbackBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/net/dev")).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("lo:"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+", -1)[1]))
                .sum();
    }

    private long processorNanosOfMembers() throws IOException {
        long nanos = 0;
        for (String member : members.keySet()) {
            nanos += MeasuredProcess.processorNanos(process(member).pid());
        }
        return nanos;
    }

    /** Ends one process, waits until its shards are worked on elsewhere, and starts it again. */
    private void end(String name, boolean forcibly, Figures figures) throws IOException, InterruptedException {
        sinceSignal.clear();
        Process process = process(name);
        long begin = System.nanoTime();
        ProcessHandle handle = process.toHandle();
        boolean unused = forcibly ? handle.destroyForcibly() : handle.destroy();
        Set<Integer> held = owned(name);
        Map<Integer, Long> ends = new HashMap<>();
        Map<Integer, Long> begins = new HashMap<>();
        if (forcibly) {
            held.forEach(shard -> ends.put(shard, begin));
        }
        while (!ends.keySet().containsAll(held) || !begins.keySet().containsAll(held)) {
            Said said = next();
            if (said.begins() && !said.node().equals(name)) {
                begins.putIfAbsent(said.shard(), said.nanoTime());
            } else if (!said.begins() && said.node().equals(name)) {
                ends.putIfAbsent(said.shard(), said.nanoTime());
            }
        }
        List<Double> unowned = held.stream()
                .map(shard -> (at(begins, shard) - at(ends, shard)) / 1e6)
                .toList();
        process.waitFor();
        int moved = (int) sinceSignal.stream().filter(Said::begins).count();
        launch(name);
        sinceSignal.clear();
        awaitBalance();
        int back = (int) sinceSignal.stream().filter(Said::begins).count();
        figures.add(unowned, moved - held.size(), back);
    }

    private static long at(Map<Integer, Long> times, int shard) {
        return Objects.requireNonNull(times.get(shard));
    }

    private Set<Integer> owned(String name) {
        return IntStream.range(0, owners.length)
                .filter(shard -> name.equals(owners[shard]))
                .boxed()
                .collect(Collectors.toSet());
    }

    /** Until all shards are owned, evenly, and nothing has moved for a while. */
    private void awaitBalance() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() < deadline) {
            Said said = heard.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS);
            if (said != null) {
                note(said);
            } else if (isBalanced()) {
                return;
            }
        }
        throw new IllegalStateException("The shards are not spread evenly in time: " + loads());
    }

    /** All shards have owners, and each process has those of its nodes: as many each, or one more. */
    private boolean isBalanced() {
        List<Long> loads = loads();
        boolean isEven = true;
        for (int i = 0; i < loads.size(); i++) {
            int nodes = i < MEMBERS ? 1 : options.get("nodes");
            long least = (long) owners.length / instances() * nodes;
            isEven &= loads.get(i) >= least && loads.get(i) <= least + nodes;
        }
        return isEven && loads.stream().mapToLong(Long::longValue).sum() == owners.length;
    }

    private List<Long> loads() {
        return names.stream()
                .map(name -> Arrays.stream(owners).filter(name::equals).count())
                .toList();
    }

    private Said next() throws InterruptedException {
        Said said = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (said == null) {
            throw new IllegalStateException("Nothing has moved in time");
        }
        note(said);
        return said;
    }

    private void note(Said said) {
        sinceSignal.add(said);
        if (said.begins()) {
            owners[said.shard()] = said.node();
        } else if (said.node().equals(owners[said.shard()])) {
            owners[said.shard()] = "";
        }
    }

    private void launch(String name) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                options.get("nodes") > 1 ? "-Xmx1g" : "-Xmx128m",
                "-Xss256k",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                name,
                String.valueOf(members.containsKey(name) ? 1 : options.get("nodes")),
                String.valueOf(owners.length),
                String.valueOf(options.get("lease-ms")),
                String.valueOf(options.get("settle-ms")),
                String.valueOf(options.get("work-ms"))));
        members.forEach((member, address) -> command.add(member + "=" + address));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.put(name, process);
        Thread reader = new Thread(() -> listen(name, process), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void listen(String name, Process process) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (ShardsNode.LINE.matcher(line).matches()) { // it may log as well
                    String[] words = line.split(" ", -1);
                    heard.add(
                            new Said(name, words[0].equals("+"), Integer.parseInt(words[1]), Long.parseLong(words[2])));
                }
            }
        } catch (IOException e) {
            System.err.printf("The output of %s cannot be read: %s%n", name, e.getMessage());
        }
    }

    private Process process(String name) {
        Process process = processes.get(name);
        if (process == null) {
            throw new IllegalStateException("Process " + name + " was never started");
        }
        return process;
    }

    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
    }

    /** Of one kind of end. */
    private static final class Figures {

        private final List<Double> medians = new ArrayList<>();
        private final List<Double> all = new ArrayList<>();
        private int moreMoves;
        private int back;

        void add(List<Double> unowned, int more, int returned) {
            medians.add(quantile(unowned, 0.5));
            all.addAll(unowned);
            moreMoves += more;
            back += returned;
        }

        void print(String what) {
            System.out.printf(
                    "%-24s unowned, ms: median %.1f (median of runs %.1f), p99 %.1f, worst %.1f; two at work: %d of %d shards, for up to %.1f ms; moves of other shards %.1f, back %.1f, for each of %d runs%n",
                    what,
                    quantile(all, 0.5),
                    quantile(medians, 0.5),
                    quantile(all, 0.99),
                    quantile(all, 1),
                    all.stream().filter(each -> each < 0).count(),
                    all.size(),
                    Math.max(0, -quantile(all, 0)),
                    moreMoves / (double) medians.size(),
                    back / (double) medians.size(),
                    medians.size());
        }

        private static double quantile(List<Double> values, double part) {
            if (values.isEmpty()) {
                return Double.NaN;
            }
            List<Double> sorted = values.stream().sorted().toList();
            return sorted.get((int) Math.min(sorted.size() - 1L, Math.round(part * (sorted.size() - 1))));
        }
    }
}
