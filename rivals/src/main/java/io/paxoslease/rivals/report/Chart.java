package io.paxoslease.rivals.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Horizontal bars on a logarithmic scale as SVG, for light and dark pages. */
final class Chart {

    private static final int WIDTH = 820;
    private static final int LABELS = 270;
    private static final int FIGURES = 80;
    private static final int BAR = 18;
    private static final int ROW = 28;
    private static final int TOP = 64;
    private static final int BOTTOM = 30;

    /**
     * One bar.
     *
     * @param label whose
     * @param value its length; zero or less: the figure and no bar; not a number: nothing
     * @param style how it is coloured: {@code ours}, {@code bound} or {@code other}
     */
    record Bar(String label, double value, String style) {}

    private final String title;
    private final String unit;
    private final List<Bar> bars;

    Chart(String title, String unit, List<Bar> bars) {
        this.title = title;
        this.unit = unit;
        this.bars = bars.stream().filter(bar -> !Double.isNaN(bar.value())).toList();
    }

    String svg() {
        int height = TOP + bars.size() * ROW + BOTTOM;
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
                WIDTH, height, escaped(title)));
        svg.append(STYLE);
        svg.append(format("<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n", WIDTH, height));
        svg.append(format("<text class=\"title\" x=\"16\" y=\"26\">%s</text>%n", escaped(title)));
        svg.append(format("<text class=\"unit\" x=\"16\" y=\"46\">%s</text>%n", escaped(unit)));
        int first = lowest();
        int last = highest(first);
        for (int power = first; power <= last; power++) {
            appendGrid(svg, power, x(Math.pow(10, power), first, last), height);
        }
        for (int i = 0; i < bars.size(); i++) {
            appendBar(
                    svg,
                    bars.get(i),
                    TOP + i * ROW,
                    bars.get(i).value() > 0 ? x(bars.get(i).value(), first, last) : LABELS);
        }
        return svg.append("</svg>\n").toString();
    }

    private int lowest() {
        return (int) Math.floor(Math.log10(drawn().min().orElse(1)));
    }

    private int highest(int lowest) {
        return Math.max(lowest + 1, (int) Math.ceil(Math.log10(drawn().max().orElse(1))));
    }

    private DoubleStream drawn() {
        return bars.stream().mapToDouble(Bar::value).filter(value -> value > 0);
    }

    private static double x(double value, int first, int last) {
        double share = (Math.log10(value) - first) / (last - first);
        return LABELS + share * (WIDTH - LABELS - FIGURES);
    }

    private void appendGrid(StringBuilder svg, int power, double x, int height) {
        int bottom = height - BOTTOM;
        svg.append(
                format("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>%n", x, x, TOP - 6, bottom));
        String mark = Figures.text(Math.pow(10, power), 1);
        svg.append(format("<text class=\"mark\" x=\"%.1f\" y=\"%d\">%s</text>%n", x, bottom + 18, mark));
    }

    private void appendBar(StringBuilder svg, Bar bar, int y, double x) {
        int middle = y + BAR / 2 + 4;
        svg.append(format(
                "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>%n", LABELS - 8, middle, escaped(bar.label())));
        if (bar.value() > 0) {
            svg.append(format(
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
                    bar.style(), LABELS, y, Math.max(2, x - LABELS), BAR));
        }
        svg.append(format(
                "<text class=\"figure\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                Math.max(LABELS + 2, x) + 6, middle, Figures.text(bar.value(), 3)));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static final String STYLE = """
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1f2328 }
            .title { font-weight: 600; font-size: 15px }
            .unit, .mark { fill: #59636e; font-size: 12px }
            .label { text-anchor: end }
            .mark { text-anchor: middle }
            .page { fill: #ffffff }
            .grid { stroke: #d1d9e0 }
            .ours { fill: #0969da }
            .other { fill: #8c959f }
            .bound { fill: #d1d9e0 }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc }
            .unit, .mark { fill: #9198a1 }
            .page { fill: #0d1117 }
            .grid { stroke: #3d444d }
            .ours { fill: #4493f8 }
            .other { fill: #768390 }
            .bound { fill: #3d444d }
            }
            </style>
            """;
}
