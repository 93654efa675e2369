package io.paxoslease.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Nanoseconds of one kind of operation, by round. Not thread-safe; one thread at a time. */
public final class Latency {

    private static final int DIGITS = 3;
    private static final double MICRO = 1_000;

    private final String name;
    private final Histogram[] rounds;

    Latency(String name, int rounds) {
        this.name = name;
        this.rounds = new Histogram[rounds];
        Arrays.setAll(this.rounds, i -> new Histogram(DIGITS));
    }

    String name() {
        return name;
    }

    Histogram round(int round) {
        return rounds[round];
    }

    double micros(int round, double percentile) {
        return rounds[round].getValueAtPercentile(percentile) / MICRO;
    }

    /** The median of the rounds' values. */
    double medianMicros(double percentile) {
        double[] values = new double[rounds.length];
        Arrays.setAll(values, round -> micros(round, percentile));
        return median(values);
    }

    long count() {
        return Arrays.stream(rounds).mapToLong(Histogram::getTotalCount).sum();
    }

    /** The median of the values; the mean of the middle two when their number is even. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** One cell of a table: p50 and p99 in microseconds. */
    static String cell(double p50, double p99) {
        return String.format(Locale.ROOT, "%9.1f %9.1f", p50, p99);
    }
}
