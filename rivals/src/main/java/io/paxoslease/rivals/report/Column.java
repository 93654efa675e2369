package io.paxoslease.rivals.report;

import java.util.function.BiFunction;

/**
 * One column of a table.
 *
 * @param title its heading
 * @param value the figure of one contender; not a number: not measured
 * @param digits how many to round to, at least the whole part
 */
record Column(String title, BiFunction<Samples, String, Double> value, int digits) {

    private static final int DIGITS = 3;

    /** The median of a metric. */
    static Column median(String title, String metric) {
        return new Column(title, (samples, contender) -> samples.median(contender, metric), DIGITS);
    }

    /** The sum of two metrics' medians. */
    static Column sum(String title, String metric, String other) {
        return new Column(
                title,
                (samples, contender) -> samples.median(contender, metric) + samples.median(contender, other),
                DIGITS);
    }

    /** The text of one cell. */
    String cell(Samples samples, String contender) {
        return Figures.text(value.apply(samples, contender), digits);
    }
}
