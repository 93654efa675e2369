package io.paxoslease.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/** Points and fitted curves as SVG, for light and dark pages. */
final class LinePlot {

    private static final int WIDTH = 820;
    private static final int HEIGHT = 460;
    private static final int LEFT = 70;
    private static final int RIGHT = 790;
    private static final int TOP = 70;
    private static final int BOTTOM = 400;
    private static final int STEPS = 100;
    private static final int MARKS = 5;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Series(String label, double[] y, DoubleUnaryOperator fit, String style) {}

    private final String title;
    private final String axes;
    private final double[] x;
    private final boolean logarithmic;
    private final List<Series> series = new ArrayList<>();

    /** @param logarithmic whether the scale of x is */
    LinePlot(String title, String axes, double[] x, boolean logarithmic) {
        this.title = title;
        this.axes = axes;
        this.x = x.clone();
        this.logarithmic = logarithmic;
    }

    /**
     * Adds a series.
     *
     * @param y for the first so many x
     * @param style how it is coloured: {@code paper}, {@code ours} or {@code other}
     */
    void add(String label, double[] y, DoubleUnaryOperator fit, String style) {
        series.add(new Series(label, y.clone(), fit, style));
    }

    String svg() {
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
                WIDTH, HEIGHT, title));
        svg.append(STYLE);
        svg.append(format("<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n", WIDTH, HEIGHT));
        svg.append(format("<text class=\"title\" x=\"16\" y=\"26\">%s</text>%n", title));
        svg.append(format("<text class=\"mark\" x=\"16\" y=\"46\">%s</text>%n", axes));
        appendGrid(svg);
        for (int i = 0; i < series.size(); i++) {
            append(svg, series.get(i), TOP + 14 + 20 * i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void appendGrid(StringBuilder svg) {
        double step = step();
        for (double y = 0; y <= highest(); y += step) {
            svg.append(format(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>%n", LEFT, RIGHT, y(y), y(y)));
            svg.append(format("<text class=\"mark right\" x=\"%d\" y=\"%.1f\">%.0f</text>%n", LEFT - 8, y(y) + 4, y));
        }
        for (double mark : x) {
            if (logarithmic || mark == x[0] || mark >= x[x.length - 1] / 4) {
                svg.append(format(
                        "<text class=\"mark middle\" x=\"%.1f\" y=\"%d\">%.0f</text>%n", x(mark), BOTTOM + 20, mark));
            }
        }
    }

    private void append(StringBuilder svg, Series each, int legend) {
        StringBuilder line = new StringBuilder();
        double first = scaled(x[0]);
        double last = scaled(x[each.y().length - 1]);
        for (int i = 0; i <= STEPS; i++) {
            double at = first + (last - first) * i / STEPS;
            double value = logarithmic ? Math.exp(at) : at;
            line.append(format("%.1f,%.1f ", x(value), y(Math.max(0, each.fit().applyAsDouble(value)))));
        }
        svg.append(format(
                "<polyline class=\"%s\" points=\"%s\"/>%n",
                each.style(), line.toString().strip()));
        for (int i = 0; i < each.y().length; i++) {
            svg.append(format(
                    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>%n", each.style(), x(x[i]), y(each.y()[i])));
        }
        svg.append(format("<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>%n", each.style(), LEFT + 20, legend - 4));
        svg.append(format("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT + 34, legend, each.label()));
    }

    private double scaled(double value) {
        return logarithmic ? Math.log(value) : value;
    }

    private double x(double value) {
        double first = scaled(x[0]);
        return LEFT + 10 + (scaled(value) - first) / (scaled(x[x.length - 1]) - first) * (RIGHT - LEFT - 20);
    }

    private double y(double value) {
        return BOTTOM - value / highest() * (BOTTOM - TOP);
    }

    private double highest() {
        double highest = 0;
        for (Series each : series) {
            for (double value : each.y()) {
                highest = Math.max(highest, value);
            }
        }
        return 1.3 * highest;
    }

    private double step() {
        double rough = highest() / MARKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        return rough / power < 2 ? power : rough / power < 5 ? 2 * power : 5 * power;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static final String STYLE = """
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1f2328 }
            .title { font-weight: 600; font-size: 15px }
            .mark { fill: #59636e; font-size: 12px }
            .middle { text-anchor: middle }
            .right { text-anchor: end }
            .page { fill: #ffffff }
            .grid { stroke: #d1d9e0 }
            polyline { fill: none; stroke-width: 2 }
            circle.paper { fill: #8c959f }
            polyline.paper { stroke: #8c959f }
            circle.ours { fill: #0969da }
            polyline.ours { stroke: #0969da }
            circle.other { fill: #1a7f37 }
            polyline.other { stroke: #1a7f37 }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc }
            .mark { fill: #9198a1 }
            .page { fill: #0d1117 }
            .grid { stroke: #3d444d }
            }
            </style>
            """;
}
