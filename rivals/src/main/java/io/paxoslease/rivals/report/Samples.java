package io.paxoslease.rivals.report;

import io.paxoslease.benchmarks.Latency;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The figures of one workload, by contender and metric, one for each round or run. Thread-safe. */
public final class Samples {

    private static final String HEAD = Csv.line("contender", "metric", "round", "value");

    private final Map<String, Map<String, List<Double>>> values = new TreeMap<>();

    /** Adds the figure of another round; what is no number counts as not measured. */
    public synchronized void add(String contender, String metric, double value) {
        if (!Double.isNaN(value)) {
            values.computeIfAbsent(contender, absent -> new TreeMap<>())
                    .computeIfAbsent(metric, absent -> new ArrayList<>())
                    .add(value);
        }
    }

    /** Adds the figures of another round. */
    public void addAll(String contender, Map<String, Double> figures) {
        figures.forEach((metric, value) -> add(contender, metric, value));
    }

    /** Replaces what is known of each contender of the other. */
    synchronized void replaceWith(Samples other) {
        values.putAll(other.values);
    }

    /** Whose figures there are. */
    synchronized Set<String> contenders() {
        return Set.copyOf(values.keySet());
    }

    /** The figures in the order of the rounds; empty when there are none. */
    public synchronized List<Double> all(String contender, String metric) {
        return List.copyOf(values.getOrDefault(contender, Map.of()).getOrDefault(metric, List.of()));
    }

    /** The median over the rounds; not a number when there is none. */
    public double median(String contender, String metric) {
        List<Double> all = all(contender, metric);
        return all.isEmpty()
                ? Double.NaN
                : Latency.median(all.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** The median of the rounds' quotients of one metric of two contenders. */
    public double medianRatio(String contender, String other, String metric) {
        List<Double> above = all(contender, metric);
        List<Double> below = all(other, metric);
        int rounds = Math.min(above.size(), below.size());
        double[] ratios = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            ratios[i] = above.get(i) / below.get(i);
        }
        return rounds == 0 ? Double.NaN : Latency.median(ratios);
    }

    /** Reads a file that {@link #write} has written; empty when there is none. */
    public static Samples read(Path file) throws IOException {
        Samples samples = new Samples();
        if (Files.exists(file)) {
            Files.readAllLines(file).stream().skip(1).map(Csv::values).forEach(line -> {
                samples.add(line.get(0), line.get(1), Double.parseDouble(line.get(3)));
            });
        }
        return samples;
    }

    /** Writes everything into a file, with contenders of an earlier run that are not in this one. */
    public void write(Path file) throws IOException {
        Samples all = read(file);
        all.replaceWith(this);
        List<String> lines = new ArrayList<>(List.of(HEAD));
        all.values.forEach((contender, metrics) -> metrics.forEach((metric, figures) -> {
            for (int i = 0; i < figures.size(); i++) {
                lines.add(Csv.line(contender, metric, i + 1, figures.get(i)));
            }
        }));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
    }
}
